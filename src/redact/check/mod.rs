//! What a pattern can't say: checksums, ranges, lengths.
//!
//! Each check sees the bytes of a whole match, which its rule's pattern has let through.

mod address;
mod brazil;
mod digits;
mod email;
mod money;
mod phone;

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests;

/// A check on the whole of what a pattern has matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Check {
    /// An e-mail address: not the name of a picture, nor a package's version.
    Email,
    /// A payment card: issuer, length, Luhn's sum.
    Card,
    /// An IBAN: the country's length, remainder 1 of 97.
    Iban,
    /// A CPF: both check digits, not eleven times the same digit.
    Cpf,
    /// A CNPJ, of digits or of letters and digits: both check digits.
    Cnpj,
    /// A telephone number of Brazil with its area.
    BrPhone,
    /// The same, or a mobile's number without an area.
    BrPhoneBare,
    /// A telephone number with its country.
    Phone,
    /// An IPv4 address that the public can reach.
    Ipv4,
    /// Another IPv4 address.
    Ipv4Private,
    /// An IPv6 address that the public can reach.
    Ipv6,
    /// Another IPv6 address.
    Ipv6Private,
    /// The line of a boleto: the check digits of its fields.
    Boleto,
}

impl Check {
    /// True if the match stands.
    pub(crate) fn passes(self, matched: &[u8]) -> bool {
        match self {
            Check::Email => email::email(matched),
            Check::Card => money::card(matched),
            Check::Iban => money::iban(matched),
            Check::Cpf => brazil::cpf(matched),
            Check::Cnpj => brazil::cnpj(matched),
            Check::BrPhone => phone::brazil(matched, false),
            Check::BrPhoneBare => phone::brazil(matched, true),
            Check::Phone => phone::international(matched),
            Check::Ipv4 => address::v4(matched) == Some(true),
            Check::Ipv4Private => address::v4(matched) == Some(false),
            Check::Ipv6 => address::v6(matched) == Some(true),
            Check::Ipv6Private => address::v6(matched) == Some(false),
            Check::Boleto => brazil::boleto(matched),
        }
    }
}
