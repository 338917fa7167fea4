import { createHmac } from 'node:crypto'
import { Flags } from '@oclif/core'
import { locate } from '#client'
import { ApiCommand } from '../../command.ts'
import { fileOr, jsonIn } from '../../input.ts'
import { storedSecret } from '../../webhooks/target.ts'

export default class WebhooksFire extends ApiCommand<typeof WebhooksFire> {
  static override summary = 'Call a webhook as another program does'
  static override description = 'Sends a signed call, which begins a run. `muster webhooks create` shows both secrets.'
  static override examples = [
    '$ <%= config.bin %> webhooks fire --token-file token.txt --secret-file secret.txt --data \'{"ref":"main"}\'',
    '$ <%= config.bin %> webhooks fire --token-file token.txt --secret-file secret.txt --data @push.json --event-id 7',
  ]
  static override flags = {
    'token-file': Flags.string({ required: true, helpValue: 'FILE', description: 'read the token from this file' }),
    'secret-file': Flags.string({
      required: true,
      helpValue: 'FILE',
      description: 'sign with the secret in this file, or on standard input with -',
    }),
    data: Flags.string({ helpValue: 'JSON|@FILE', description: 'what has happened, as JSON' }),
    'event-id': Flags.string({ description: 'id of the event: one that came before begins nothing' }),
  }

  async run(): Promise<void> {
    const { 'token-file': tokenFile, 'secret-file': secretFile, data, 'event-id': eventId } = this.flags
    const body = data === undefined ? {} : jsonIn('data', fileOr(data))
    const token = (await storedSecret(tokenFile, 'token-file')).trim()
    const secret = await storedSecret(secretFile)
    const stamp = String(Math.floor(Date.now() / 1000))
    const signature = createHmac('sha256', secret)
      .update(`${stamp}.${JSON.stringify(body)}`)
      .digest('hex')
    const { method, path } = locate('webhooks.fire', { token })
    const reply = await this.connection.request(method, path, {
      body,
      headers: {
        'x-webhook-signature': signature,
        'x-webhook-timestamp': stamp,
        ...(eventId !== undefined && { 'x-webhook-event-id': eventId }),
      },
    })
    const begun = JSON.parse(String(reply.body)) as { run_id: string; deduped: boolean }
    const sentence = begun.deduped ? `The call came before: ${begun.run_id} is its run.` : `Began run ${begun.run_id}.`
    await this.out.done(sentence, begun)
  }
}
