import type { KeyObject } from 'node:crypto'
import { Args, Flags } from '@oclif/core'
import { Disbelieved, keyIdOf, openStatement, publicKeyOf } from '#client/dsse'
import { ApiCommand } from '../../command.ts'
import { exits } from '../../failure.ts'
import { fileBytes, InputError, stdinText } from '../../input.ts'
import { type Receipt, readReceipt } from '../../receipts/claims.ts'
import { type Compared, compareFiles, compareFolder } from '../../receipts/compare.ts'
import { type Verified, verifiedView } from '../../views/receipts.ts'

export default class RunsVerify extends ApiCommand<typeof RunsVerify> {
  static override offline = true
  static override summary = 'Verify a receipt of a run, without its server'
  static override description =
    'Checks the signature with the public key that you have, and nothing else: no server is asked. With --file or ' +
    '--folder it also compares files with those that the receipt speaks of. Exits with 1 if the signature does not ' +
    'hold, or a file differs or is missing.'
  static override result = {
    members: [
      'valid',
      'reason',
      'keyid',
      'claims',
      'subjects',
      'subjects.name',
      'subjects.sha256',
      'subjects.kind',
    ].concat(['compared', 'compared.name', 'compared.status']),
  }
  static override examples = [
    '$ <%= config.bin %> runs verify receipt.json --key muster.pem',
    '$ <%= config.bin %> runs verify receipt.json --key muster.pem --folder out/',
    '$ <%= config.bin %> runs verify receipt.json --key muster.pem --file report.md=./report.md',
    '$ <%= config.bin %> runs verify receipt.json --key muster.pem --json=valid,reason',
  ]
  static override args = { file: Args.string({ required: true, description: 'the receipt, or - for standard input' }) }
  static override flags = {
    key: Flags.string({ required: true, helpValue: 'FILE', description: 'the public key, in PEM' }),
    file: Flags.string({
      multiple: true,
      helpValue: 'NAME=FILE',
      description: 'compare this file with the one that the receipt calls NAME; repeat it for several',
    }),
    folder: Flags.string({ helpValue: 'FOLDER', description: 'compare all files of the receipt with this folder' }),
  }

  async run(): Promise<void> {
    const key = keyFrom(this.flags.key)
    const verified = await this.verified(key, await this.text())
    await this.out.show(verified, verifiedView)
    const fine = verified.compared.every(({ status }) => status === 'same' || status === 'elsewhere')
    if (!verified.valid || !fine) this.finish(exits.other)
  }

  private text(): Promise<string> | string {
    return this.args.file === '-' ? stdinText() : fileBytes(this.args.file).toString('utf8')
  }

  private async verified(key: KeyObject, text: string): Promise<Verified> {
    const keyid = keyIdOf(key)
    try {
      const { claims, subjects } = open(text, key)
      const compared = await this.compared({ claims, subjects })
      const told = subjects.map(({ name, sha256, kind }) => ({ name, sha256, kind }))
      return { valid: true, reason: null, keyid, claims, subjects: told, compared }
    } catch (error) {
      if (!(error instanceof Disbelieved)) throw error
      return { valid: false, reason: error.message, keyid, claims: null, subjects: [], compared: [] }
    }
  }

  private async compared({ subjects }: Receipt): Promise<Compared[]> {
    const { file = [], folder } = this.flags
    const named = await compareFiles(subjects, file)
    return folder === undefined ? named : [...named, ...(await compareFolder(subjects, folder))]
  }
}

function open(text: string, key: KeyObject): Receipt {
  let envelope: unknown
  try {
    envelope = JSON.parse(text)
  } catch {
    throw new Disbelieved('This is not one JSON object: a receipt is one envelope')
  }
  return readReceipt(openStatement(envelope, key))
}

function keyFrom(path: string): KeyObject {
  try {
    return publicKeyOf(fileBytes(path).toString('utf8'))
  } catch (error) {
    if (!(error instanceof Disbelieved)) throw error
    throw new InputError(`--key ${path}: ${error.message}.`, 'muster runs receipt-keys --pem > muster.pem')
  }
}
