//! Rows of tables, lines of logs, and programs.

pub const ROWS: &[&str] = &[
    "| {word} | {n} | {price} |", "| {order} | {date} | {pct} |", "| `{sha}` | {name} | {time} |", "| {ver} | {url} | {n} |", "| {isbn} | {ean} | {price} |",
    "| {uuid} | {n}/{n} | ok |", "| {file} | {n} KB | {date} |", "| {private} | {n} ms | — |", "| {color} | {float} | {d}% |", "| {name} | {user} | {coords} |",
    "| {big} | {big} | {big} |", "| {list} | {d} | {d} |",
];

pub const LOGS: &[&str] = &[
    "{iso} INFO  [{word}] started in {n} ms (pid {n})", "{iso} WARN  {path} took {float}s, retry {d}/5", "{iso} ERROR request {uuid} failed: 503 after {n} tries",
    "[{time}] GET /v1/{word}/{n}?page={d} 200 {n}B {n}us", "{private} - - [{date}:{time} -0300] \"POST /{word} HTTP/1.1\" 201 {n}", "level=info ts={iso} caller={path} msg=\"{word}\" id={id}",
    "{{\"ts\":{big},\"level\":\"debug\",\"span\":\"{sha}\",\"ok\":true}}", "npm WARN deprecated {pkg}: use {pkg}", "   Compiling {word} v{d}.{d}.{d} ({path})", "commit {sha}",
    "Merge pull request #{n} from {word}/fix-{n}", "kernel: [{n}.{n}] usb {d}-{d}: new high-speed device number {d}", "GC: {n}K->{n}K({n}K), {float} secs", "--- {d} packets, {pct} loss, rtt {d}.{d}/{d}.{d} ms",
    "{iso} [{n}:{n}] thread 'main' panicked at {path}", "trace_id={sha} parent={sha} duration={n}ns", "Epoch {d}/30 - loss: {float} - acc: {float}", "cache HIT {sha} ({n} bytes, age {n})",
    "sha256:{sha} {file}", "{list}", "x-request-id: {uuid}", "etag: W/\"{sha}\"", "listening on [::]:{n} and 0.0.0.0:{n}", "resolved {pkg} -> {url}",
];

pub const PROGRAMS: &[&str] = &[
    "```rust\nuse std::collections::HashMap;\n\nfn total(items: &[u64]) -> u64 {\n    items.iter().map(|it| it * {n}).sum::<u64>() // {word}\n}\n\nconst MAGIC: u32 = 0x{n};\nlet id = Uuid::parse_str(\"{uuid}\")?;\n```",
    "```python\n@app.route(\"/{word}/<int:id>\")\ndef show(id: int) -> dict:\n    price = {float} * {n}\n    w = a@b + c @ d\n    return {\"id\": id, \"at\": \"{iso}\", \"p\": f\"{price:.2f}\"}\n```",
    "```js\nimport x from '{pkg}';\nconst url = `http://localhost:${port}/v1`;\nconst re = /\\d{3}\\.\\d{3}\\.\\d{3}-\\d{2}/;\nexport const timeout = {n}, at = {big}n;\nconsole.log(`total: ${total} of {n}`); // see {url}\n```",
    "```go\nfunc main() {\n\tctx, cancel := context.WithTimeout(ctx, {n}*time.Millisecond)\n\tdefer cancel()\n\tfmt.Printf(\"%s:%d\\n\", \"{word}\", {n})\n}\n```",
    "```sql\nSELECT id, total FROM {word} WHERE created_at >= '{date}' AND id IN ({csv}) ORDER BY {d} LIMIT {n};\n-- {n} rows, {float} s\n```",
    "```sh\ngit clone git@github.com:org/{word}.git && cd {word}\ncurl -s -H 'Authorization: Bearer $TOKEN' {url} | jq '.items[{d}].id'\nexport PATH=$HOME/bin:$PATH PORT={n} KEY=<your-key>\ntar -xzf {word}-{d}.{d}.{d}.tgz; chmod 0755 {file}\n```",
    "```css\n.sk-button-primary { color: {color}; background: {color}80; margin: -{d}px {d}px; }\n@media (min-width: {n}px) { .task-{n}::before { content: \"\\201C\"; } }\n.icon { background: url(\"img/icon@2x.png\"); transition: all .{d}s; }\n```",
    "```json\n{\n  \"id\": \"{uuid}\",\n  \"order\": \"{order}\",\n  \"items\": [{csv}],\n  \"total\": {float},\n  \"at\": \"{iso}\",\n  \"geo\": [{coords}],\n  \"image\": \"data:image/png;base64,{b64}\"\n}\n```",
    "```yaml\nversion: \"{d}.{d}\"\nservices:\n  {word}:\n    image: registry.example.com:5000/{word}:{d}.{d}.{d}@sha256:{sha}\n    ports: [\"{n}:80\", \"127.0.0.1:{n}:5432\"]\n    environment:\n      - KEY=${KEY}\n      - DATABASE_URL=postgres://${USER}:${PASS}@db:5432/app\n```",
    "```html\n<a href=\"{url}\" title=\"{word} & co\">{name}</a>\n<img src=\"/img/{sha}.png\" srcset=\"a@2x.png 2x, a@3x.png 3x\" width=\"{n}\">\n<input pattern=\"[0-9]{5}-[0-9]{3}\" placeholder=\"00000-000\">\n```",
    "```dockerfile\nFROM node:{d}-alpine@sha256:{sha}\nRUN apk add --no-cache curl=8.{d}.{d}-r0\nEXPOSE {n}\nCMD [\"node\", \"{file}\"]\n```",
    "```java\n@Override\npublic long hash() { return {n}L * 31 + id.hashCode() ^ 0xCAFEBABEL; }\n@Size(max = {n}) private String {word};\n```",
    "```diff\n@@ -{n},{d} +{n},{d} @@ fn main()\n-    let limit = {n};\n+    let limit = {n};\n+{date},{n},{csv}\n index {sha}..{sha} 100644\n```",
    "```c\n#define VERSION \"{d}.{d}.{d}.{d}\"\nuint8_t table[] = {0x1f, 0x8b, 0x08, {csv}};\nprintf(\"%08lx: %d\\n\", addr, {n}); /* {date} */\n```",
    "```\n{list}\n{list}\n{csv}\n{float} {float} {float}\n```",
    "```csv\nid,name,price,date\n{n},{name},{n},{date}\n{n},{name},{n},{date}\n```",
    "```toml\n[package]\nname = \"{word}\"\nversion = \"{d}.{d}.{d}\"\n[dependencies]\nserde = { version = \"1.0.{n}\", features = [\"derive\"] }\nchecksum = \"{sha}\"\n```",
    "```txt\n-----BEGIN CERTIFICATE-----\n{b64}\n-----END CERTIFICATE-----\n```",
    "```regex\n^(\\+55)?\\s?\\(?[1-9]{2}\\)?\\s?9?\\d{4}-?\\d{4}$ | sk-[A-Za-z0-9]{20,} | [\\w.+-]+@[\\w-]+\\.[\\w.]+\n```",
    "```http\nGET /v1/{word}/{n} HTTP/1.1\nHost: {word}.example.com:{n}\nAuthorization: Bearer <token>\nIf-None-Match: \"{sha}\"\nRange: bytes={n}-{big}\n```",
    "```kotlin\nval ids = listOf({csv}).map { it * {n} }\nprintln(\"${ids.size} {word}\") // {time}\n```",
    "```ts\ntype Id = `task-${string}`;\nconst ids: Id[] = [\"{id}\", \"{id}\"];\nconst price = {n}.{d}, f = (11) => {n};\n```",
];
