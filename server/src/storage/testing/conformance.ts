import { describe } from 'bun:test'
import { describeDrafts } from './conformance-drafts.ts'
import { describeLinks } from './conformance-links.ts'
import { describeReading } from './conformance-reading.ts'
import { describeTransfers } from './conformance-transfers.ts'
import { describeWriting } from './conformance-writing.ts'
import { handle, type Subject } from './subject.fixture.ts'

/** What every storage promises. Each adapter's test file calls this with a way to make an empty one. */
export function describeStorage(name: string, makeEmpty: () => Promise<Subject>): void {
  const make = async () => handle(await makeEmpty())
  describe(name, () => {
    describe('reading', () => describeReading(make))
    describe('writing', () => describeWriting(make))
    describe('kept drafts', () => describeDrafts(make))
    describe('rename, copy and remove', () => describeTransfers(make))
    describe('links', () => describeLinks(make))
  })
}
