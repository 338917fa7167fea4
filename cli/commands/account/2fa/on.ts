import { ProblemError } from '#client'
import { ApiCommand } from '../../../command.ts'
import { given } from '../../../flags.ts'
import { ask, interactive } from '../../../input.ts'
import { giveCodes, saveFlag } from '../../../two-factor/codes.ts'
import { codeFlag, codeOf, passwordFlag, passwordOf, remedies } from '../../../two-factor/proof.ts'

const attempts = 3

export default class TwoFactorOn extends ApiCommand<typeof TwoFactorOn> {
  static override summary = 'Turn the second factor on, or move it to another app'
  static override description =
    'Shows a QR code for an authenticator app, asks for the code that the app then shows, and gives ten recovery ' +
    'codes. Without a terminal it writes the secret to standard output, and `muster account 2fa confirm` ' +
    'finishes the setup. If a second factor is already on, it asks for one of its codes first; that factor stays ' +
    'valid until the new app has shown its first code.'
  static override hiddenAliases = ['totp:start']
  static override examples = [
    '$ <%= config.bin %> account 2fa on',
    '$ <%= config.bin %> account 2fa on --save recovery-codes.txt',
    '$ <%= config.bin %> account 2fa on --password-stdin < password.txt',
  ]
  static override next = {
    ...remedies,
    fresh_session_required: 'muster account forgot, to set a password; or use a browser',
  }
  static override flags = { ...passwordFlag, ...codeFlag, ...saveFlag }

  async run(): Promise<void> {
    const { needs_password, enabled } = await this.api.totp.show()
    const proof = await passwordOf(needs_password, this.session.target, this.flags['password-stdin'])
    const code = enabled ? await codeOf(this.flags.code, 'Code of the app in use, or a recovery code') : undefined
    const begun = await this.api.totp.start({ body: given({ ...proof, code }) })
    if (!interactive()) {
      await this.out.item(begun, begun.secret)
      this.out.note('Give the secret to your app. Next: muster account 2fa confirm CODE', 'dim')
      return
    }
    process.stderr.write(await instructions(begun))
    await giveCodes(this.out, await this.confirmed(), this.flags.save)
    await this.out.done(
      'Your second factor is on. Browsers that are signed in elsewhere will ask for it; tokens stay good.',
    )
  }

  /** A mistyped code is no reason to begin anew. */
  private async confirmed(): Promise<{ since: string; recovery_codes: string[] }> {
    for (let left = attempts; ; left--) {
      const code = await ask('Code that the app shows now')
      try {
        return await this.api.totp.confirm({ body: { code: code.trim() || '-' } })
      } catch (error) {
        if (left === 1 || !(error instanceof ProblemError) || error.problem.code !== 'second_factor_invalid')
          throw error
        this.out.note(
          'That is not the code. Wait for the next one, and see that the clocks of both devices are right.',
          'yellow',
        )
      }
    }
  }
}

async function instructions({ uri, secret }: { uri: string; secret: string }): Promise<string> {
  const { renderUnicodeCompact } = await import('uqr')
  const indent = (text: string) => text.replace(/^/gm, '  ')
  const spaced = secret.replace(/.{4}(?=.)/g, '$& ')
  return (
    `\n${indent(renderUnicodeCompact(uri, { border: 1 }))}\n\n  Scan this with your authenticator app, or type the ` +
    `secret into it:\n\n    ${spaced}\n\n  ${uri}\n\n`
  )
}
