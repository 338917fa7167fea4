import { setTimeout as wait } from 'node:timers/promises'
import { Args, Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { exits } from '../../failure.ts'
import { given } from '../../flags.ts'
import { ask, emptyFlaw, InputError, interactive } from '../../input.ts'
import { type Brought, readBrought } from '../../integrations/brought.ts'
import { clientFlags, clientIn } from '../../integrations/client.ts'
import { serverCalled } from '../../integrations/find.ts'
import { crewFlag } from '../../integrations/flags.ts'
import { listenForBrowser } from '../../integrations/listener.ts'
import { timeLeft } from '../../output/cell.ts'

const patience = 15 * 60_000

export default class IntegrationsConnect extends ApiCommand<typeof IntegrationsConnect> {
  static override summary = 'Sign in to an MCP server, so that agents can use it'
  static override description =
    'Opens the browser, which comes back to this command. On a machine without one, open the printed address ' +
    'elsewhere and paste the address that the browser ends at. With --server-callback the browser comes back to the ' +
    'server instead. Takes the name of an integration, or the address of a server to add.'
  static override result = { of: ['oauth.autoConnect'], members: ['status', 'credential_id'] }
  static override examples = [
    '$ <%= config.bin %> integrations connect notes',
    '$ <%= config.bin %> integrations connect https://mcp.example.com/mcp --no-browser',
    '$ <%= config.bin %> integrations connect notes --client-id 4711 --client-secret-stdin < secret.txt',
  ]
  static override args = {
    integration: Args.string({ required: true, description: 'name of the integration, or address of a server' }),
  }
  static override flags = {
    ...crewFlag,
    'no-browser': Flags.boolean({ description: 'open no browser, and take the address that one ends at' }),
    'server-callback': Flags.boolean({ description: 'let the browser come back to the server' }),
    provider: Flags.string({
      helpValue: 'NAME',
      description: 'provider, if the server does not say where one signs in',
    }),
    ...clientFlags,
  }

  async run(): Promise<void> {
    const target = await this.target()
    const listener = this.flags['server-callback'] ? null : await listenForBrowser()
    try {
      const client = await clientIn(this.flags)
      const { provider } = this.flags
      const asked = this.api.oauth.autoConnect({
        body: given({ ...target, provider_hint: provider, redirect_uri: listener?.address, ...client }),
      })
      const begun = await this.progress('Asking the server', asked)
      if (begun.status === 'needs_client_id' || begun.credential_id === undefined)
        throw new InputError(`${begun.message}.`, `muster integrations connect ${this.args.integration} --client-id ID`)
      const id = begun.credential_id
      const before = listener ? null : await this.api.credentials.show({ credentialId: id })
      const address = safe(begun.auth_url)
      const coming = listener?.bringing(address.searchParams.get('state') ?? '')
      await this.lead(address.href)
      if (coming) {
        const brought = await this.brought(coming)
        await this.progress(
          'Handing over the code',
          this.api.oauth.exchange({ body: { credential_id: id, ...brought } }),
        )
      } else if (!(await this.signedIn(id, before))) {
        this.out.note(
          `The sign-in was not finished. Next: muster integrations connect ${this.args.integration}`,
          'yellow',
        )
        return this.finish(exits.other)
      }
      const row = { status: 'connected', credential_id: id }
      await this.out.done(`Connected ${this.args.integration}.`, row, {
        name: () => this.args.integration,
        columns: { Status: (it) => it.status, Credential: (it) => it.credential_id },
      })
    } finally {
      listener?.close()
    }
  }

  /** What is to be signed in to. */
  private async target(): Promise<{ mcp_url: string; server_name?: string }> {
    const { integration } = this.args
    if (/^https?:\/\//i.test(integration)) return { mcp_url: integration }
    const server = await serverCalled(this.api, integration, this.flags.crew)
    if (server.endpoint === null)
      throw new InputError(`${integration} runs in the crew: there is nothing to sign in to.`)
    return { mcp_url: server.endpoint, server_name: server.name }
  }

  private async lead(address: string): Promise<void> {
    const { browserless, openBrowser } = await import('../../contexts/browser.ts')
    const why = this.flags['no-browser'] ? '' : browserless()
    const opened = why === undefined && (await openBrowser(address))
    process.stderr.write(
      `${opened ? 'If no browser comes up, open' : 'Open'} this address in a browser:\n\n  ${address}\n\n`,
    )
  }

  /** What the browser brings to this machine, or what is pasted, whichever comes first. */
  private async brought(coming: Promise<Brought>): Promise<Brought> {
    const { browserless } = await import('../../contexts/browser.ts')
    const pasting = interactive() && (this.flags['no-browser'] || browserless() !== undefined)
    if (!pasting) return this.waiting(coming)
    const done = new AbortController()
    const pasted = ask('Code, or address that the browser ended at', emptyFlaw, done.signal).then(readBrought)
    try {
      return await Promise.race([coming, pasted])
    } finally {
      done.abort()
      pasted.catch(() => undefined)
    }
  }

  private waiting<T>(work: Promise<T>): Promise<T> {
    const until = Date.now() + patience
    const left = () => `Waiting for the browser, ${timeLeft(until)} left. Ctrl-C cancels.`
    return this.progress(left(), async (say) => {
      const clock = setInterval(() => say(left()), 1000)
      const over = new AbortController()
      const late = wait(patience, undefined, { signal: over.signal, ref: false }).then(() => {
        throw new InputError('The browser did not come back in time.')
      })
      try {
        return await Promise.race([work, late])
      } finally {
        clearInterval(clock)
        over.abort()
        late.catch(() => undefined)
      }
    })
  }

  /** Whether tokens come for the credential before the sign-in is too old. */
  private signedIn(credentialId: string, before: { status: string; updated_at: string } | null): Promise<boolean> {
    const until = Date.now() + patience
    return this.waiting(
      (async () => {
        while (Date.now() < until) {
          const { status, updated_at } = await this.api.credentials.show({ credentialId })
          if (status === 'ACTIVE' && (before?.status !== 'ACTIVE' || updated_at !== before.updated_at)) return true
          await wait(1000)
        }
        return false
      })(),
    )
  }
}

/** The address that a server names, which a program is to open: a page, and nothing else. */
function safe(address: string): URL {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new InputError('The server leads to something that is no page.')
  return new URL(address)
}
