import { expect, test } from 'bun:test'
import { type JobRequest, User } from '@filestead/contract'
import { scopeOf } from '../access/scope.ts'
import type { Journal } from '../changes/journal.ts'
import type { Changes } from '../changes/pipeline.ts'
import { parsePath } from '../storage/path.ts'
import { memoryStorage } from '../storage/testing/memory.ts'
import { Go, type GoParts } from './go.ts'
import type { Kind } from './kind.ts'
import { recordFor } from './planning.ts'
import type { JobRecord } from './record.ts'
import { transferKind } from './transfer.ts'

const storage = memoryStorage()
const scope = scopeOf(
  { user: User.parse({ id: 1, username: 'ann', scope: '/', perm: { create: true, rename: true } }), rules: [] },
  storage,
)
const journal = { record: (_change, work) => work() } as Pick<Journal, 'record'> as Journal
const changes = { door: 'web', journal, hooks: undefined, realPath: async () => '' } satisfies Changes

function goOf(kind: Kind, record: JobRecord, store: GoParts['store']): Go {
  return new Go({ record, kind, changes, scope: async () => scope, store, changed() {}, unexpected() {}, did() {} })
}

test.each(['copy', 'move'] as const)(
  'a %s whose process died when it was done, and had not noted that, tells how much it was',
  async (verb) => {
    for (const name of ['a', 'b', 'c']) {
      const bytes = new Response(name).body as ReadableStream<Uint8Array>
      await storage.write(parsePath(`/${verb}/${name}.txt`), bytes, { precondition: 'absent' })
    }
    const kind = transferKind(verb, 'this run') as Kind
    const request: JobRequest = { kind: verb, items: [{ from: `/${verb}`, to: `/${verb}-done` }], onConflict: 'ask' }
    const planned = await kind.plan(scope, request)
    const choices = { forAll: 'ask', by: {} } as const
    const record = recordFor(scope, request, { planned, choices, createdAt: 0 })
    let stored: JobRecord | undefined
    const died = goOf(kind, record, async (last) => {
      if (stored !== undefined) throw new Error('It has died')
      stored = structuredClone(last)
      return true
    })
    await died.run()
    if (stored === undefined) throw new Error('Nothing was stored before the last step')
    expect([stored.cursor, (await storage.stat(parsePath(`/${verb}-done`))).kind]).toEqual([0, 'folder'])
    const next = goOf(kind, stored, async () => true)
    expect(await next.run()).toBe('done')
    const all = { files: 3, bytes: 3 }
    expect(next.facts()).toMatchObject({ done: all, total: all })
  },
)
