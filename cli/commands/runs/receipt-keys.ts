import { Flags } from '@oclif/core'
import { ApiCommand } from '../../command.ts'
import { limited, listFlags } from '../../flags.ts'
import { InputError } from '../../input.ts'
import { receiptKeyView } from '../../views/receipts.ts'

export default class RunsReceiptKeys extends ApiCommand<typeof RunsReceiptKeys> {
  static override summary = 'List the public keys with which receipts are and were signed'
  static override description =
    'With --pem it prints the current key instead, for `muster runs verify --key`, and with --id another one. Keep ' +
    'it where who signs cannot replace it.'
  static override examples = [
    '$ <%= config.bin %> runs receipt-keys',
    '$ <%= config.bin %> runs receipt-keys --pem > muster.pem',
  ]
  static override flags = {
    ...listFlags,
    pem: Flags.boolean({ description: 'print the current key in PEM' }),
    id: Flags.string({ dependsOn: ['pem'], helpValue: 'KEYID', description: 'print the key of this id' }),
  }

  async run(): Promise<void> {
    const keys = await this.api.runs.receiptKeys({})
    if (!this.flags.pem) return this.out.list(limited(keys, this.flags), receiptKeyView)
    const { id } = this.flags
    const key = keys.find(({ keyid, current }) => (id === undefined ? current : keyid === id))
    if (!key) throw new InputError(`The server has no key with the id ${id}.`, 'muster runs receipt-keys')
    this.out.text(key.public_key)
  }
}
