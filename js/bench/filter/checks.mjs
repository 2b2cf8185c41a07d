// What the rules ask beyond their patterns, for the rows that are JavaScript. Written after src/redact/check.

const digits = (text) => [...text].filter((sign) => sign >= "0" && sign <= "9").map(Number);
const number = (values) => values.reduce((sum, value) => sum * 10 + value, 0);
const within = (value, ...ranges) => ranges.some((range) => (Array.isArray(range) ? value >= range[0] && value <= range[1] : value === range));
const check11 = (sum) => (sum % 11 < 2 ? 0 : 11 - (sum % 11));

const FILES =
  "png jpg jpeg gif svg webp avif ico bmp heic pdf css scss less js jsx mjs cjs ts tsx vue json html htm xml yml yaml toml txt lock tgz gz whl jar exe dll map woff ttf otf wav ogg webm csv log sql".split(" ");

function email(text) {
  const at = text.indexOf("@");
  const [local, labels] = [text.slice(0, at), text.slice(at + 1).split(".")];
  const named = labels.findIndex((part) => !/^[0-9]*$/.test(part));
  const numbers = named < 0 ? labels.length : named;
  return local !== "git" && !FILES.includes(labels.at(-1).toLowerCase()) && numbers < 2 && labels.every((part) => part.length <= 63);
}

function luhn(values) {
  const weighed = values.toReversed().map((value, at) => (at % 2 ? (value > 4 ? value * 2 - 9 : value * 2) : value));
  return weighed.reduce((sum, value) => sum + value, 0) % 10 === 0;
}

function card(text) {
  const all = digits(text);
  const [first, four, two] = [6, 4, 2].map((length) => number(all.slice(0, length)));
  const issued = {
    13: () => within(two, [40, 49]),
    14: () => within(two, 36, 38, 39) || within(four, [3000, 3059]),
    15: () => within(two, 34, 37),
    16: () =>
      within(two, [40, 49], [51, 55], 62, 65) ||
      within(four, [2221, 2720], [3528, 3589], 6011, [6440, 6499], 5067, 5090, 6362, 6363) ||
      first === 606282,
    17: () => two === 62,
    18: () => two === 62,
    19: () => within(two, [40, 49], 62),
  };
  return Boolean(issued[all.length]?.()) && luhn(all);
}

const IBANS = Object.fromEntries(
  `AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18
   FK18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20
   LU20 LV21 LY25 MC27 MD24 ME22 MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24
   SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30`
    .split(/\s+/)
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);

function iban(text) {
  const signs = text.replaceAll(" ", "");
  if (IBANS[signs.slice(0, 2)] !== signs.length) return false;
  const moved = [...(signs.slice(4) + signs.slice(0, 4))];
  return moved.reduce((rest, sign) => Number(`${rest}${parseInt(sign, 36)}`) % 97, 0) === 1;
}

function cpf(text) {
  const all = digits(text);
  const check = (length) => check11(all.slice(0, length).reduce((sum, value, at) => sum + value * (length + 1 - at), 0));
  return all.length === 11 && new Set(all).size > 1 && all[9] === check(9) && all[10] === check(10);
}

function cnpj(text) {
  const all = [...text.replace(/[^0-9A-Z]/g, "")].map((sign) => sign.charCodeAt(0) - 48);
  const check = (length) => check11(all.slice(0, length).reduce((sum, value, at) => sum + value * (2 + ((length - 1 - at) % 8)), 0));
  return all.length === 14 && new Set(all).size > 1 && all[12] === check(12) && all[13] === check(13);
}

const AREA_ONES = { 1: "123456789", 2: "12478", 3: "1234578", 4: "123456789", 5: "1345", 6: "123456789", 7: "134579", 8: "123456789", 9: "123456789" };

function brPhone(text) {
  let all = digits(text);
  if (all.length >= 12 && all[0] === 5 && all[1] === 5) all = all.slice(2);
  if (all[0] === 0) all = all.slice(1);
  const used = AREA_ONES[all[0]]?.includes(String(all[1]));
  if (all.length === 11 && all[2] === 9) return Boolean(used);
  return all.length === 10 && all[2] >= 2 && Boolean(used);
}

const TWO = [20, 27, [30, 34], 36, [39, 41], [43, 49], [51, 58], [60, 66], 81, 82, 84, 86, [90, 95], 98];
const THREE = [[21, 26], 29, 35, 37, 38, 42, 50, 59, [67, 69], 85, 88, 96, 97, 99];
const UNUSED = [210, 214, 215, 217, 219, 259, [292, 296], 384, 388, 422, [424, 429], [693, 699], 969, 978];

function phone(text) {
  const all = digits(text);
  const [first, two] = [number(all.slice(0, 3)), number(all.slice(0, 2))];
  const area = number(all.slice(1, 4));
  if (all[0] === 1) return all.length === 11 && area >= 200;
  if (all[0] === 7) return all.length === 11 && area >= 300;
  const zero = (code) => all[code] === 0 && two !== 39 && !text.includes("(0)");
  if (within(two, ...TWO)) return two === 55 ? brPhone(text) : within(all.length, [10, 15]) && !zero(2);
  return within(Math.trunc(first / 10), ...THREE) && !within(first, ...UNUSED) && within(all.length, [7, 15]) && !zero(3);
}

function ipv4(text) {
  const parts = text.split(".");
  if (text.length < 8 || parts.some((part) => (part.length > 1 && part[0] === "0") || Number(part) > 255)) return false;
  const [a, b, c] = parts.map(Number);
  const reserved =
    a === 0 || a === 10 || a === 127 || a >= 224 ||
    (a === 172 && within(b, [16, 31])) || (a === 169 && b === 254) || (a === 100 && within(b, [64, 127])) || (a === 198 && within(b, 18, 19)) ||
    (a === 192 && (b === 168 || (b === 0 && within(c, 0, 2)))) || (a === 198 && b === 51 && c === 100) || (a === 203 && b === 0 && c === 113);
  return !reserved;
}

function ipv6(text) {
  if (text.startsWith(":") !== text.startsWith("::") || text.endsWith(":") !== text.endsWith("::") || text.length > 45) return false;
  const gaps = text.split("::").length - 1 + (text.includes(":::") ? 1 : 0);
  const groups = text.split(":").filter(Boolean);
  const whole = (gaps === 0 && groups.length === 8) || (gaps === 1 && groups.length < 8);
  const [first, second] = text.split(":").map((part) => parseInt(part || "0", 16));
  return whole && groups.every((part) => part.length <= 4) && first >= 0x2000 && first < 0x4000 && !(first === 0x2001 && second === 0xdb8);
}

/** By the names that rules.txt gives them. */
export const checks = { email, card, iban, cpf, cnpj, br_phone: brPhone, phone, ipv4, ipv6 };
