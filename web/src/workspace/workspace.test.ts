import { expect, test } from 'bun:test'
import type { Entry } from '../server/queries/resources.ts'
import { enterFolder, revealWhenListed, takeRevealed, workspace } from './workspace.ts'

test('as many names as a folder may hold can be chosen at once', () => {
  const entries = Array.from({ length: 200_000 }, (_, index) => ({ name: `${index}.txt` }) as Entry)
  revealWhenListed(
    '/',
    entries.map(({ name }) => name),
  )
  enterFolder('/', entries)
  expect(workspace().selection.names.size).toBe(200_000)
  expect(takeRevealed()?.name).toBe('0.txt')
})
