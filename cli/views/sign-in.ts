import type { SignedIn } from '../contexts/sign-in.ts'
import type { View } from '../output/printer.ts'

export const signedInView: View<SignedIn> = {
  name: ({ context }) => context,
  columns: {
    Context: ({ context }) => context,
    Server: ({ server }) => server,
    User: ({ user }) => user,
    Workspace: ({ workspace }) => workspace,
  },
}
