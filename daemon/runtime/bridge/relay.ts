/**
 * The program that carries a sidecar's model calls to the daemon's machine. Its arguments name the providers; it
 * listens at a socket for each, and asks the daemon for a provider by the place of its name in that list.
 */
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { relayFolder, relayWindow } from './relay-sockets.ts'
import { serveRelay } from './serve-relay.ts'
import { overStandardStreams } from './standard-streams.ts'

for (const left of readdirSync(relayFolder)) rmSync(join(relayFolder, left))
const connections = overStandardStreams({ window: relayWindow })
void serveRelay(connections, relayFolder, process.argv.slice(2)).then(() => connections.alive())
