//! Which addresses a URL named by a server may lead to.
//!
//! The server under test chooses those URLs, so they must not become a way into the network the
//! probe runs in. The tables are those of the IANA special-purpose address registries.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// What kind of network an address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Reachable from everywhere.
    Public,
    /// This machine.
    Loopback,
    /// A private network.
    Private,
    /// This link: cloud metadata services live here.
    LinkLocal,
    /// Shared by the customers of a provider (carrier-grade NAT).
    Shared,
    /// Many receivers.
    Multicast,
    /// Anything else that is no public unicast address.
    Reserved,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Public => "public",
            Self::Loopback => "loopback",
            Self::Private => "private",
            Self::LinkLocal => "link-local",
            Self::Shared => "shared (carrier-grade NAT)",
            Self::Multicast => "multicast",
            Self::Reserved => "reserved",
        })
    }
}

/// The first address that a server at addresses of the kinds in `target` may not send us to.
pub(super) fn forbidden(
    addresses: impl IntoIterator<Item = IpAddr>,
    target: &[Kind],
) -> Option<(IpAddr, Kind)> {
    addresses
        .into_iter()
        .map(|address| (address, kind(address)))
        .find(|(_, kind)| *kind != Kind::Public && !target.contains(kind))
}

/// The kind of an address; an IPv6 address that embeds an IPv4 address is of that one's kind.
pub(super) fn kind(address: IpAddr) -> Kind {
    match address {
        IpAddr::V4(address) => kind_v4(address),
        IpAddr::V6(address) => kind_v6(address),
    }
}

fn kind_v4(address: Ipv4Addr) -> Kind {
    match address.octets() {
        [127, ..] => Kind::Loopback,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Kind::Private,
        [169, 254, ..] => Kind::LinkLocal,
        [100, 64..=127, ..] => Kind::Shared,
        [224..=239, ..] => Kind::Multicast,
        [0 | 240..=255, ..]
        | [192, 0, 0 | 2, _]
        | [192, 88, 99, _]
        | [198, 18 | 19, ..]
        | [198, 51, 100, _]
        | [203, 0, 113, _] => Kind::Reserved,
        _ => Kind::Public,
    }
}

fn kind_v6(address: Ipv6Addr) -> Kind {
    if address == Ipv6Addr::LOCALHOST {
        return Kind::Loopback;
    }
    match address.segments() {
        // IPv4-compatible, IPv4-mapped, and the well-known NAT64 prefix: the address is at the end.
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        // 6to4: it follows the prefix.
        | [0x2002, high, low, ..] => kind_v4(embedded(high, low)),
        // A local NAT64 prefix translates to whatever its operator chose.
        [0x64, 0xff9b, 1, ..] | [0xfc00..=0xfdff | 0xfec0..=0xfeff, ..] => Kind::Private,
        [0xfe80..=0xfebf, ..] => Kind::LinkLocal,
        [0xff00..=0xffff, ..] => Kind::Multicast,
        // Protocol assignments (Teredo among them), documentation.
        [0x2001, 0..=0x01ff | 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => Kind::Reserved,
        [0x2000..=0x3fff, ..] => Kind::Public,
        _ => Kind::Reserved,
    }
}

fn embedded(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from((u32::from(high) << 16) | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_apart() {
        for (text, expected) in [
            ("8.8.8.8", Kind::Public),
            ("172.15.255.255", Kind::Public),
            ("172.32.0.0", Kind::Public),
            ("100.63.255.255", Kind::Public),
            ("100.128.0.0", Kind::Public),
            ("192.0.1.1", Kind::Public),
            ("127.0.0.1", Kind::Loopback),
            ("127.255.255.254", Kind::Loopback),
            ("10.0.0.1", Kind::Private),
            ("172.16.0.1", Kind::Private),
            ("172.31.255.255", Kind::Private),
            ("192.168.1.1", Kind::Private),
            ("169.254.169.254", Kind::LinkLocal),
            ("100.64.0.1", Kind::Shared),
            ("100.127.255.255", Kind::Shared),
            ("224.0.0.1", Kind::Multicast),
            ("239.255.255.255", Kind::Multicast),
            ("0.0.0.0", Kind::Reserved),
            ("0.1.2.3", Kind::Reserved),
            ("192.0.0.8", Kind::Reserved),
            ("192.0.2.1", Kind::Reserved),
            ("192.88.99.1", Kind::Reserved),
            ("198.18.0.1", Kind::Reserved),
            ("198.19.255.255", Kind::Reserved),
            ("198.51.100.1", Kind::Reserved),
            ("203.0.113.1", Kind::Reserved),
            ("240.0.0.1", Kind::Reserved),
            ("255.255.255.255", Kind::Reserved),
            ("2606:4700::1111", Kind::Public),
            ("::1", Kind::Loopback),
            ("::", Kind::Reserved),
            ("fc00::1", Kind::Private),
            ("fdff::1", Kind::Private),
            ("fec0::1", Kind::Private),
            ("fe80::1", Kind::LinkLocal),
            ("ff02::1", Kind::Multicast),
            ("2001:db8::1", Kind::Reserved),
            ("3fff:fff::1", Kind::Reserved),
            ("2001::1", Kind::Reserved),
            ("100::1", Kind::Reserved),
            ("4000::1", Kind::Reserved),
            ("5f00::1", Kind::Reserved),
            ("::ffff:127.0.0.1", Kind::Loopback),
            ("::ffff:8.8.8.8", Kind::Public),
            ("::10.0.0.1", Kind::Private),
            ("64:ff9b::169.254.169.254", Kind::LinkLocal),
            ("64:ff9b::8.8.8.8", Kind::Public),
            ("64:ff9b:1::8.8.8.8", Kind::Private),
            ("2002:7f00:1::", Kind::Loopback),
            ("2002:808:808::", Kind::Public),
        ] {
            assert_eq!(kind(text.parse().unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn only_the_kind_of_the_target_itself_is_let_through() {
        let ips = |texts: &[&str]| -> Vec<IpAddr> {
            texts.iter().map(|text| text.parse().unwrap()).collect()
        };
        assert_eq!(
            forbidden(ips(&["8.8.8.8", "2606:4700::1"]), &[Kind::Public]),
            None
        );
        assert_eq!(
            forbidden(ips(&["8.8.8.8", "10.0.0.1"]), &[Kind::Public]),
            Some(("10.0.0.1".parse().unwrap(), Kind::Private)),
            "one address is enough: which of them is used is not ours to say"
        );
        assert_eq!(forbidden(ips(&["127.0.0.1"]), &[Kind::Loopback]), None);
        assert!(forbidden(ips(&["169.254.169.254"]), &[Kind::Loopback]).is_some());
        assert!(forbidden(ips(&["127.0.0.1"]), &[]).is_some());
    }
}
