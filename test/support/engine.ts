import { execFileSync } from 'node:child_process'

const how =
  'no Docker engine answers. Install one (Debian: apt-get install docker.io iptables, then start dockerd), build the images with scripts/build-images.sh, and run npm test again; .ci/run does all of it'

/** True when a Docker engine answers at DOCKER_HOST or the default socket. Prints the reason once when none does. */
export const engineAnswers: boolean = (() => {
  try {
    execFileSync('docker', ['version', '--format', '{{.Server.Version}}'], { stdio: 'pipe', timeout: 10_000 })
    return true
  } catch {
    return false
  }
})()

/** Says in the summary of the run that this file was left out for want of an engine. */
export function noteEngine(task: { meta: object } | undefined): void {
  if (!engineAnswers && task) (task.meta as { leftOut?: string }).leftOut = how
}

export const engineMissing: string | false = engineAnswers ? false : how
