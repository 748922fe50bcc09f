import { describe, expect, test } from 'bun:test'
import type { Costs, RequestCost } from './costs.ts'
import { demandOf, firstWhere, limitsOf } from './model.ts'
import { type Machines, office, type Profile, usual } from './profile.ts'

const request: RequestCost = { nodeMicros: 1000, databaseMicros: 500, transactions: 2 }
const costs: Costs = {
  measured: { at: '', processors: 1, load: 0 },
  requests: { check: request, listing: request, download: request, upload: request, 'sign-in': request },
  rest: { transactionsPerSecond: 1, megabytes: 100 },
  messages: { perUpload: 2, readMicrosPerUpload: 100 },
  rows: { user: 1000, session: 100, upload: 10 },
  searchMicrosPerName: 1,
  sqliteListingMicros: 0,
  twoNodes: { listing: 1, upload: 1 },
  coldStart: { wallMs: 0, cpuMs: 0, sqliteWallMs: 0 },
}
/** One listing and one upload a second for each user who is at work. */
const profile: Profile = {
  ...office,
  activeShare: 0.5,
  perHour: { check: 0, listing: 3600, download: 0, upload: 3600, 'sign-in': 0 },
  peak: 1,
  filesPerUser: 10,
  uploadsPerDay: 3,
  sessionsPerUser: 2,
  daysOfHistory: 2,
}
const machines: Machines = { ...usual, nodeProcessors: 2, databaseProcessors: 4, use: 0.5, pool: 9, connections: 100 }

describe('what so many users need', () => {
  const demand = demandOf(1000, costs, profile, machines)

  test('requests, their queries and objects add up', () => {
    expect(demand).toMatchObject({ users: 1000, files: 10_000, requests: 1000 })
    expect(demand.objectRequests).toBe(500 * usual.objectsPer.listing + 500 * usual.objectsPer.upload)
    expect(demand.databaseBytes).toBe(1000 * (1000 + 2 * 100 + 3 * 2 * 10))
  })

  test('a process is busy with its requests and with what all others tell', () => {
    // 1 second of work a second; of each process 0.5 may be taken, 0.05 of which for 500 uploads that are read.
    expect(demand.connections).toBe(Math.ceil(1 / 0.45) * 10)
    expect(demand.machines).toBe(2)
    // 500 uploads a second are told in 50 messages by each of the three, and the two others look for each.
    expect(demand.messages).toBe(150)
    expect(demand.transactions).toBe(2000 + 3 + 2 * 150)
    expect(demand.databaseProcessors).toBeCloseTo(1000 * 0.0005 + 300 * 0.00025)
  })

  test('one process alone tells nothing', () => {
    expect(demandOf(10, costs, profile, machines)).toMatchObject({ machines: 1, messages: 0, connections: 10 })
  })

  test('what every process has to do cannot be spread', () => {
    const { machines: needed, parts } = demandOf(10_000, costs, profile, machines)
    expect(needed).toBe(Number.POSITIVE_INFINITY)
    expect(parts.find(({ name }) => name.startsWith('messages'))?.use).toBeCloseTo(1)
  })

  test('the fullest part is named first', () => {
    const uses = demand.parts.map(({ use }) => use)
    expect(uses).toEqual(uses.toSorted((a, b) => b - a))
  })
})

test('a part is full with so many users and not with one less', () => {
  for (const { name, users } of limitsOf(costs, profile, machines)) {
    const useWith = (count: number) =>
      demandOf(count, costs, profile, machines).parts.find((part) => part.name === name)?.use ?? 0
    expect([useWith(users) >= 1, useWith(users - 1) < 1]).toEqual([true, true])
  }
})

test('the first number of which something holds is found, or that there is none', () => {
  expect(firstWhere((value) => value >= 12_345)).toBe(12_345)
  expect(firstWhere(() => true)).toBe(1)
  expect(firstWhere(() => false)).toBe(Number.POSITIVE_INFINITY)
})
