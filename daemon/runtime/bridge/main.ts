/**
 * The program that carries connections into a crew: the daemon says to which port over standard input, and this
 * connects to it on the crew's own loopback, as nobody.
 */
import { connectHere } from './here.ts'
import { overStandardStreams } from './standard-streams.ts'

overStandardStreams({ connect: connectHere }).alive()
