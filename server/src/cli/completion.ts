import type { Command } from 'commander'
import { Failure } from '../failure.ts'
import { print } from './output.ts'

/** The words that can follow a command: `at` is '' for the program itself, or 'users add'. */
interface Completions {
  readonly at: string
  readonly words: readonly string[]
}

/** Prints a script that completes commands and flags in a shell. */
export function completion(shell: string, root: Command): void {
  const script = scripts[shell]
  if (script === undefined)
    throw new Failure(
      'invalid',
      `There is no completion for ${JSON.stringify(shell)}, only for ${Object.keys(scripts).join(', ')}`,
    )
  print(script(completionsOf(root)).trim())
}

function completionsOf(command: Command, at = ''): Completions[] {
  const children = command.commands.map((child) => ({ child, at: `${at} ${child.name()}`.trim() }))
  const flags = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? [])
  return [
    { at, words: [...children.map(({ child }) => child.name()), ...flags, '--help'] },
    ...children.flatMap(({ child, at }) => completionsOf(child, at)),
  ]
}

const scripts: Record<string, (all: Completions[]) => string> = {
  bash: (all) => `
_filestead() {
  local word at='' words=''
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${namesOf(all).map(quoted).join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${all.map(({ at, words }) => `    ${quoted(at)}) words='${words.join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _filestead filestead`,

  zsh: (all) => `
#compdef filestead
_filestead() {
  local word at=''
  local -A known
  known=(
${all.map(({ at, words }) => `    ${quoted(at || '-')} '${words.join(' ')}'`).join('\n')}
  )
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ -n "\${known[\${at:+$at }$word]}" ]] && at="\${at:+$at }$word"
  done
  compadd -- \${(s: :)known[\${at:--}]}
  _files
}
if [ "$funcstack[1]" = "_filestead" ]; then _filestead "$@"; else compdef _filestead filestead; fi`,

  fish: (all) => `
function __filestead_at
  set -l at
  for word in (commandline -opc)[2..-1]
    contains -- "$(string join ' ' $at $word)" ${namesOf(all).map(quoted).join(' ')}; and set -a at $word
  end
  string join ' ' $at
end
${all
  .map(({ at, words }) => `complete -c filestead -n 'test "$(__filestead_at)" = "${at}"' -a '${words.join(' ')}'`)
  .join('\n')}`,

  powershell: (all) => `
Register-ArgumentCompleter -Native -CommandName filestead -ScriptBlock {
  param($wordToComplete, $commandAst, $cursorPosition)
  $known = @{
${all.map(({ at, words }) => `    '${at}' = '${words.join(' ')}'`).join('\n')}
  }
  $at = ''
  foreach ($element in $commandAst.CommandElements | Select-Object -Skip 1) {
    $next = "$at $element".Trim()
    if ($known.ContainsKey($next)) { $at = $next }
  }
  $known[$at].Split(' ') | Where-Object { $_ -like "$wordToComplete*" }
}`,
}

const namesOf = (all: readonly Completions[]): string[] => all.map(({ at }) => at).filter(Boolean)

const quoted = (text: string): string => `'${text}'`
