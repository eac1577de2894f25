// Package server runs a NATS server with JetStream inside this process, and connects to servers.
package server
