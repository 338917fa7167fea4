import { Type } from 'typebox'
import { get } from './define.ts'

const Signature = Type.Object({
  keyid: Type.String({ description: 'SHA-256 of the public key, as runs.receiptKeys lists it' }),
  sig: Type.String({ description: 'Base64' }),
})

export const runReceipts = {
  receipt: get('/runs/:runId/receipt', {
    summary: 'Sign a receipt of a run that is over',
    access: 'VIEWER',
    workspace: 'session',
    reply: Type.Object(
      {
        payload: Type.String({ description: 'The statement in base64: an in-toto statement, docs/receipts.md' }),
        payloadType: Type.String({ description: 'application/vnd.in-toto+json' }),
        signatures: Type.Array(Signature),
      },
      { description: 'A DSSE envelope' },
    ),
    throws: ['not_found', 'run_open', 'encryption_unavailable'],
  }),
  receiptKeys: get('/receipt-keys', {
    summary: 'List the public keys with which receipts are and were signed',
    access: 'signed-in',
    reply: Type.Array(
      Type.Object({
        keyid: Type.String({ description: 'SHA-256 of the key in DER (SubjectPublicKeyInfo), in hexadecimal' }),
        current: Type.Boolean({ description: 'New receipts are signed with it' }),
        added_at: Type.String({ description: 'When the server first had it' }),
        public_key: Type.String({ description: 'PEM' }),
      }),
    ),
  }),
}
