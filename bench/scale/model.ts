import { type Costs, type Kind, kinds, type RequestCost } from './costs.ts'
import type { Machines, Profile } from './profile.ts'

/** A part that cannot be had in any number, and how much of it is taken: above 1 it is saturated. */
export interface Part {
  readonly name: string
  readonly use: number
}

export interface Demand {
  readonly users: number
  readonly files: number
  /** In the busiest second. */
  readonly requests: number
  readonly machines: number
  readonly transactions: number
  readonly databaseProcessors: number
  readonly messages: number
  readonly connections: number
  readonly objectRequests: number
  readonly databaseBytes: number
  /** The fullest first. */
  readonly parts: readonly Part[]
}

const secondsPerHour = 3600
/** A process collects what it tells for 20 milliseconds (server/src/events/bus.ts). */
const messagesPerSecond = 50

/** What so many users need in the busiest second. */
export function demandOf(users: number, costs: Costs, profile: Profile, machines: Machines): Demand {
  const rate = ratesOf(users, profile)
  const sum = (weight: (kind: Kind) => number) => kinds.reduce((total, kind) => total + rate(kind) * weight(kind), 0)
  const spent = (field: keyof RequestCost) => sum((kind) => costs.requests[kind][field])
  // Every process reads what the others tell, so this part of its work does not shrink with their number.
  const readingUse = (rate('upload') * costs.messages.readMicrosPerUpload) / 1e6
  const usable = machines.use - readingUse
  const processes = usable > 0 ? Math.max(1, Math.ceil(spent('nodeMicros') / 1e6 / usable)) : Number.POSITIVE_INFINITY
  const isAlone = processes === 1
  const messages = isAlone ? 0 : Math.min(rate('upload'), processes * messagesPerSecond)
  // Each of the others looks for every message, or for all that came while it looked.
  const looks = isAlone ? 0 : (processes - 1) * Math.min(messages, machines.looksPerSecond)
  const { check } = costs.requests
  const transactions = spent('transactions') + looks + (isAlone ? 0 : processes * costs.rest.transactionsPerSecond)
  const databaseProcessors = (spent('databaseMicros') + (looks * check.databaseMicros) / check.transactions) / 1e6
  const connections = processes * (machines.pool + 1)
  const objectRequests = sum((kind) => machines.objectsPer[kind])
  const parts = [
    { name: 'processors of PostgreSQL', use: databaseProcessors / (machines.databaseProcessors * machines.use) },
    { name: 'connections of PostgreSQL', use: connections / machines.connections },
    { name: 'messages, which every process reads', use: isAlone ? 0 : readingUse / machines.use },
    { name: 'one prefix of a bucket', use: objectRequests / machines.objectRequests },
  ]
  return {
    users,
    files: users * profile.filesPerUser,
    requests: sum(() => 1),
    machines: Math.ceil(processes / machines.nodeProcessors),
    transactions,
    databaseProcessors,
    messages,
    connections,
    objectRequests,
    databaseBytes: bytesOf(users, costs, profile),
    parts: parts.toSorted((a, b) => b.use - a.use),
  }
}

/** How many of a kind come in the busiest second. */
function ratesOf(users: number, { activeShare, perHour, peak }: Profile): (kind: Kind) => number {
  const active = users * activeShare
  return (kind) => (active * perHour[kind] * peak) / secondsPerHour
}

/** A file that lies there has no row. */
function bytesOf(users: number, { rows }: Costs, profile: Profile): number {
  const { sessionsPerUser, uploadsPerDay, daysOfHistory } = profile
  return users * (rows.user + sessionsPerUser * rows.session + uploadsPerDay * daysOfHistory * rows.upload)
}

/** With how many users each part is full, the first of them first. */
export function limitsOf(costs: Costs, profile: Profile, machines: Machines): { name: string; users: number }[] {
  const names = demandOf(1, costs, profile, machines).parts.map(({ name }) => name)
  const isFull = (name: string, users: number) => {
    const part = demandOf(users, costs, profile, machines).parts.find((one) => one.name === name)
    return (part?.use ?? 0) >= 1
  }
  return names
    .map((name) => ({ name, users: firstWhere((users) => isFull(name, users)) }))
    .toSorted((a, b) => a.users - b.users)
}

/** The least number up to 10 billion for which this holds, which holds for all above it. */
export function firstWhere(holds: (value: number) => boolean): number {
  let [low, high] = [1, 1e10]
  if (!holds(high)) return Number.POSITIVE_INFINITY
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}
