import { expect, test } from 'bun:test'
import { groupChanges } from './group-changes.ts'

test('what happened to several is said once, in the order of the report', () => {
  const missing = { code: 'home-missing', message: 'No folder', advice: 'Make it', link: '/settings/users' } as const
  const off = { code: 'commands-off', message: 'Off', advice: 'Confirm' } as const
  expect(
    groupChanges([
      { ...missing, subject: 'edda' },
      { ...off, subject: '' },
      { ...missing, subject: '+3' },
    ]),
  ).toEqual([
    { ...missing, subjects: ['edda', '+3'] },
    { ...off, subjects: [] },
  ])
})
