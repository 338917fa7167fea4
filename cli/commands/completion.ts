import { Args } from '@oclif/core'
import { ApiCommand } from '../command.ts'
import { scripts } from '../complete/scripts.ts'

export default class Completion extends ApiCommand<typeof Completion> {
  static override summary = 'Print a completion script for your shell'
  static override description =
    `Prints a script that completes commands, flags and the names of crews, agents and other things.

bash:       eval "$(muster completion bash)" in ~/.bashrc
zsh:        eval "$(muster completion zsh)" in ~/.zshrc, after compinit
fish:       muster completion fish | source, in ~/.config/fish/config.fish
PowerShell: muster completion powershell | Out-String | Invoke-Expression, in $PROFILE

When the server is slow, names are offered as they were the last time.`
  static override result = {}
  static override examples = [
    '$ eval "$(<%= config.bin %> completion bash)"',
    '$ <%= config.bin %> completion fish > ~/.config/fish/completions/muster.fish',
  ]
  static override args = {
    shell: Args.string({ required: true, options: Object.keys(scripts), description: 'your shell' }),
  }

  async run(): Promise<void> {
    this.out.write(scripts[this.args.shell as keyof typeof scripts])
  }
}
