//! Links and images, against lists of hosts.
