//! A run's redactor: a plan a channel.
