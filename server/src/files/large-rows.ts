import type { Sorting } from '@filestead/contract'
import type { Scope } from '../access/scope.ts'
import { ahead } from '../concurrency/ahead.ts'
import type { Cancellation } from '../concurrency/cancellation.ts'
import type { NamesInOrder, RowForm, Rows } from '../storage/folder-rows.ts'
import type { VirtualPath } from '../storage/path.ts'

interface RowsOptions {
  sorting: Sorting
  form: RowForm
  signal: Cancellation
}

/** So many parts of a folder are looked at while one is sent. */
const mostAhead = 3

/** Undefined where the storage makes no text, or the actor sees not all, or subtitles have to be found for films. */
export async function rowsIn(
  scope: Scope,
  path: VirtualPath,
  options: RowsOptions,
): Promise<AsyncGenerator<Rows> | undefined> {
  const names = await scope.namesInOrder(path, options.sorting, options.signal)
  return names === undefined || names.hasSubtitles ? undefined : rowsOf(scope, path, names, options)
}

async function* rowsOf(
  scope: Scope,
  path: VirtualPath,
  names: NamesInOrder,
  { form, signal }: RowsOptions,
): AsyncGenerator<Rows> {
  const known = keptRows.get(names)
  if (known !== undefined && isSameForm(known.form, form)) return yield* known.rows
  const made: Rows[] = []
  let length = 0
  let isKept = true
  try {
    for await (const rows of ahead(mostAhead, cut(names.bytes), (some) => scope.rowsOf(path, some, form, signal))) {
      isKept &&= rows.folder === names.folder && !rows.hasShared && gathering + rows.bytes.length <= mostInRows
      if (isKept) {
        made.push(rows)
        length += rows.bytes.length
        gathering += rows.bytes.length
      } else made.length = 0
      yield rows
    }
    if (isKept) keptRows.set(names, { form, rows: made })
  } finally {
    gathering -= length
  }
}

/** What was made of names. The storage returns the same object while nothing changed. */
const keptRows = new WeakMap<NamesInOrder, { readonly form: RowForm; readonly rows: readonly Rows[] }>()
/** In bytes: of a folder with 100,000 entries, and of all listings that are made at the same time. */
const mostInRows = 24 << 20
let gathering = 0

const isSameForm = (one: RowForm, two: RowForm): boolean =>
  one.prefix === two.prefix && one.detectsByContent === two.detectsByContent

/** In bytes, as the lengths of pieces: about as many names as those. */
const [firstBytes, pieceBytes] = [4 * 1024, 20 * 1024]

/** A list of names in parts, of which the first is small. */
function* cut(names: Uint8Array<ArrayBuffer>): Generator<Uint8Array<ArrayBuffer>> {
  for (let [start, length] = [0, firstBytes]; start < names.length; length = pieceBytes) {
    const zero = names.indexOf(0, start + length)
    const end = zero === -1 ? names.length : zero + 1
    yield names.slice(start, end)
    start = end
  }
}
