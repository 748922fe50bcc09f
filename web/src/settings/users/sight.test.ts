import { expect, test } from 'bun:test'
import type { Mount } from '@filestead/contract'
import { sightOf } from './sight.ts'

const mount = (id: number, name: string): Mount => ({
  ...{ id, name, isHome: false, isAway: false, readOnly: false, hasTrash: false, hasVersions: false },
})

test('a home at the top is that of the first root folder, wherever its name stands in the order', () => {
  expect(sightOf('/', [mount(5, 'Archive'), mount(1, 'Files')])).toContain('Sees all of Files, the first root folder')
  expect(sightOf('/', [mount(1, 'Files')])).not.toContain('Files')
  expect(sightOf('/team', [mount(5, 'Archive'), mount(1, 'Files')])).toContain('/team')
})
