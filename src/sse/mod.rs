//! Event streams: encoder, decoder, heartbeat.
