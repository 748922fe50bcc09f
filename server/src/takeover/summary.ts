import type { TakeoverChange, TakeoverCode, TakeoverReport } from '@filestead/contract'

const mostLines = 10

/** At most ten lines, for the output of a start. */
export function summaryOf({ from, taken, changes }: TakeoverReport, database: string): string[] {
  const kinds = kindsOf(changes)
  const head = [
    `Moved over from File Browser: ${from}, which stays as it is.`,
    `  now in    ${database}`,
    `  users     ${taken.users}, who sign in with their old passwords; open browsers stay signed in`,
    `  links     ${taken.shares}, at the same addresses`,
    `  settings  ${taken.settings ? 'taken' : 'none'}, with ${taken.rules} ${taken.rules === 1 ? 'rule' : 'rules'}`,
  ]
  if (kinds.length === 0) return [...head, '  Nothing changed its meaning.']
  const room = mostLines - head.length - 1
  const told = kinds.length > room ? kinds.slice(0, room - 1) : kinds
  return [
    ...head,
    '  Different now (administrators read more in the browser, or with takeover --dry-run):',
    ...told.map(
      ({ message, count, subject }) => `    ${count > 1 ? `${count} times: ` : subject && `${subject}: `}${message}`,
    ),
    ...(told.length < kinds.length ? [`    and ${kinds.length - told.length} more kinds of changes`] : []),
  ]
}

/** Every change with its advice. */
export function detailsOf({ from, taken, changes }: TakeoverReport): string[] {
  return [
    `From ${from}:`,
    `  settings: ${taken.settings ? 'yes' : 'none'}, users: ${taken.users}, links: ${taken.shares}, rules: ${taken.rules}`,
    '',
    changes.length === 0 ? 'Nothing changes its meaning.' : 'What is different then:',
    ...changeLines(changes),
  ]
}

export const changeLines = (changes: readonly TakeoverChange[]): string[] =>
  kindsOf(changes).flatMap(({ code, message, advice }) => [
    '',
    `  [${code}] ${message}`,
    ...changes.flatMap((change) => (change.code === code && change.subject ? [`    - ${change.subject}`] : [])),
    `    ${advice}`,
  ])

interface Kind extends Pick<TakeoverChange, 'message' | 'advice' | 'subject'> {
  readonly code: TakeoverCode
  readonly count: number
}

function kindsOf(changes: readonly TakeoverChange[]): Kind[] {
  return [...Map.groupBy(changes, ({ code }) => code)].map(([code, [first, ...rest]]) => ({
    code,
    message: first?.message ?? '',
    advice: first?.advice ?? '',
    subject: first?.subject ?? '',
    // '+480' stands for 480 further subjects.
    count: rest.reduce((sum, { subject }) => sum + (/^\+\d+$/.test(subject) ? Number(subject) : 1), 1),
  }))
}
