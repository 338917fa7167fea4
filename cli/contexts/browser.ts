import { spawn } from 'node:child_process'

type Env = NodeJS.ProcessEnv

/** Why no browser can be opened here; undefined when one can. */
export function browserless(env: Env = process.env, platform: NodeJS.Platform = process.platform): string | undefined {
  if (env['BROWSER']) return undefined
  if (env['SSH_CONNECTION'] || env['SSH_TTY']) return 'this is a remote shell'
  if (['darwin', 'win32'].includes(platform) || env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['WSL_DISTRO_NAME'])
    return undefined
  return 'this machine has no screen'
}

/**
 * The program that opens an address, and its arguments: `$BROWSER`, else the system's own. No shell reads the address.
 */
export function opener(
  address: string,
  env: Env = process.env,
  platform: NodeJS.Platform = process.platform,
): [program: string, args: string[]] {
  const [program, ...args] = (env['BROWSER'] ?? '')
    .split(/:(?!\\)/, 1)[0]!
    .split(' ')
    .filter(Boolean)
  if (program)
    return [program, args.includes('%s') ? args.map((it) => (it === '%s' ? address : it)) : [...args, address]]
  if (platform === 'darwin') return ['open', [address]]
  if (platform === 'win32' || env['WSL_DISTRO_NAME']) return ['rundll32.exe', ['url.dll,FileProtocolHandler', address]]
  return ['xdg-open', [address]]
}

/** Opens an address in a browser that outlives this command; false when that program is not there. */
export function openBrowser(address: string): Promise<boolean> {
  const [program, args] = opener(address)
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore', detached: true, env: process.env })
    child.on('error', () => resolve(false))
    child.on('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
