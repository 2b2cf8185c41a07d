//! Each row of the table in [`super::decode`], and the request.

mod bounds;
mod recorded;
mod request;
