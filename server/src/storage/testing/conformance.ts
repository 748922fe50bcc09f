import { describe } from 'bun:test'
import { describeCapabilities } from './conformance-capabilities.ts'
import { describeDrafts } from './conformance-drafts.ts'
import { describeKeeping } from './conformance-keeping.ts'
import { describeLinks } from './conformance-links.ts'
import { describeReading } from './conformance-reading.ts'
import { describeStaging } from './conformance-staging.ts'
import { describeTransfers } from './conformance-transfers.ts'
import { describeWriting } from './conformance-writing.ts'
import { handle, type Subject } from './subject.fixture.ts'

/** What every storage promises. Each adapter's test file calls this with a way to make an empty one. */
export async function describeStorage(name: string, makeEmpty: () => Promise<Subject>): Promise<void> {
  const make = async () => handle(await makeEmpty())
  const { storage, keeping } = await makeEmpty()
  const { capabilities } = storage
  describe(name, () => {
    describe('reading', () => describeReading(make, capabilities))
    describe('writing', () => describeWriting(make, capabilities))
    describe('kept drafts', () => describeDrafts(make, capabilities))
    describe('rename, copy and remove', () => describeTransfers(make))
    describe('staging', () => describeStaging(make))
    describe('capabilities', () => describeCapabilities(make, capabilities))
    if (capabilities.keeps && keeping !== undefined) describe('keeping', () => describeKeeping(make))
    if (capabilities.symlinks) describe('symlinks', () => describeLinks(make))
  })
}
