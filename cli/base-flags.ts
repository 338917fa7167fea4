import { Flags } from '@oclif/core'
import { formats } from './output/format.ts'

const helpGroup = 'GLOBAL'

/** Flags that every command takes. */
export const baseFlags = {
  server: Flags.string({ char: 's', helpGroup, helpValue: 'URL', description: 'server to talk to [$SVC_SERVER]' }),
  workspace: Flags.string({
    char: 'w',
    helpGroup,
    helpValue: 'SLUG',
    description: 'workspace to work in, by slug or id [$SVC_WORKSPACE]',
  }),
  context: Flags.string({
    helpGroup,
    helpValue: 'NAME',
    description: 'a stored server, see `muster contexts` [$SVC_CONTEXT]',
  }),
  json: Flags.string({
    helpGroup,
    helpValue: '[FIELDS]',
    description: 'JSON; with --json=a,b only these members',
    noCacheDefault: true,
  }),
  jq: Flags.string({ helpGroup, helpValue: 'EXPR', description: 'filter the JSON with a jq expression' }),
  template: Flags.string({ helpGroup, helpValue: 'TEXT', description: "text of the JSON's members, as {{.name}}" }),
  output: Flags.string({ char: 'o', helpGroup, options: formats, description: 'form of the result' }),
  quiet: Flags.boolean({ char: 'q', helpGroup, description: 'names only, and no remarks' }),
  verbose: Flags.boolean({ char: 'v', helpGroup, description: 'show the requests that are made' }),
  'no-trunc': Flags.boolean({ helpGroup, description: 'shorten nothing and leave out no column' }),
  'no-input': Flags.boolean({ helpGroup, description: 'never ask; refuse what needs an answer [$SVC_NO_INPUT]' }),
  'no-color': Flags.boolean({ helpGroup, description: 'no colours [$NO_COLOR]' }),
  'no-pager': Flags.boolean({ helpGroup, description: 'do not page long results [$SVC_PAGER]' }),
}
