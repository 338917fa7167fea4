// Each script hands the words up to the cursor to `muster __complete` and offers its lines: a value, a tab, what it is.

const bash = `# muster completion for bash
_muster() {
  local line
  COMPREPLY=()
  while IFS= read -r line; do
    COMPREPLY+=("$(printf %q "\${line%%$'\\t'*}")")
  done < <(muster __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _muster muster
`

const zsh = `#compdef muster
_muster() {
  local -a described
  local line value
  while IFS= read -r line; do
    value="\${line%%$'\\t'*}"
    described+=("\${value//:/\\\\:}:\${line#*$'\\t'}")
  done < <(muster __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#described} )); then _describe muster described; else _files; fi
}
compdef _muster muster
`

const fish = `# muster completion for fish
function __muster_complete
  set -l words (commandline -opc) (commandline -ct)
  muster __complete $words[2..-1] 2>/dev/null
end
complete -c muster -f -a '(__muster_complete)'
`

// Some versions drop an empty word at the end, so it is announced by --next.
const powershell = `# muster completion for PowerShell
Register-ArgumentCompleter -Native -CommandName muster -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $words = @($commandAst.CommandElements |
    Where-Object { $_.Extent.StartOffset -lt $cursorPosition } |
    Select-Object -Skip 1 | ForEach-Object { $_.Extent.Text })
  if (-not $wordToComplete) { $words = @('--next') + $words }
  muster __complete @words 2>$null | ForEach-Object {
    $value, $about = $_ -split "\`t", 2
    if (-not $about) { $about = $value }
    $word = $value
    if ($word -notmatch '^[\\w./-][\\w./:@=+-]*$') { $word = "'" + ($word -replace "['\\u2018-\\u201b]", '$0$0') + "'" }
    [System.Management.Automation.CompletionResult]::new($word, $value, 'ParameterValue', $about)
  }
}
`

export const scripts = { bash, zsh, fish, powershell }
