import { createServer } from 'node:net'
import { dirname } from 'node:path'
import { askHealth, type ServerAddress } from '../health/ask.ts'
import { trustsEverybody } from '../http/client-address.ts'
import { everyAddress, parseAddress } from '../http/listen-address.ts'
import { accountName } from '../storage/linux/account.ts'
import { mayChange } from './access.ts'
import { type Finding, findingsAbout } from './finding.ts'

const address = findingsAbout('Address')
const metrics = findingsAbout('Metrics')
const proxy = findingsAbout('Proxy')

export interface Network extends ServerAddress {
  readonly trustedProxies: string
  readonly metrics: string
}

export async function examineNetwork(network: Network, authMethod: string): Promise<Finding[]> {
  return [
    network.socket === '' ? await examinePort(network) : examineSocket(network.socket),
    ...(await examineMetrics(network.metrics)),
    ...examineProxies(network, authMethod),
  ]
}

async function examineMetrics(wanted: string): Promise<Finding[]> {
  const where = parseAddress(wanted)
  if (where === undefined) return []
  const error = await tryToListen(where.host, where.port)
  if (error === undefined) return [metrics.good(`${wanted} is free`)]
  const isOurs = error.code === 'EADDRINUSE' && (await hasMetrics(wanted))
  return [
    isOurs
      ? metrics.good(`${wanted} is in use by a Filestead that runs already`)
      : metrics.bad(
          `${wanted} cannot be used for metrics: ${error.code === 'EADDRINUSE' ? 'the port is in use' : error.message}.`,
          'Choose another address or port with --metrics.',
        ),
  ]
}

async function hasMetrics(place: string): Promise<boolean> {
  try {
    const answer = await fetch(`http://${place}/metrics`, { signal: AbortSignal.timeout(5000) })
    return (await answer.text()).includes('filestead_info')
  } catch {
    return false
  }
}

async function examinePort(network: Network): Promise<Finding> {
  const { address: host, port } = network
  const place = `port ${port} of ${host || 'every address'}`
  const error = await tryToListen(host, port)
  if (error === undefined) return address.good(`${place} is free`)
  if (error.code === 'EADDRINUSE')
    return (await askHealth(network)).isFilestead
      ? address.good(`${place} is in use by a Filestead that runs already`)
      : address.bad(
          `${place} is taken by another program.`,
          `Choose another one with --port, or find out who has it: ss -ltnp 'sport = :${port}'`,
        )
  if (notOurs.includes(error.code))
    return address.bad(
      `${host} is no address of this machine.`,
      'Use --address 0.0.0.0 for all of them, or one that `ip address` shows.',
    )
  return address.bad(
    `Account ${accountName()} may not use ${place}.`,
    'Ports below 1024 need a right of their own: choose one above, such as 8080, and put a proxy in front.',
  )
}

/** An address of another machine, a name that no machine has, and what is no address, for which the runtime has no code. */
const notOurs: readonly (string | undefined)[] = ['EADDRNOTAVAIL', 'ENOTFOUND', undefined]

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', (error) => resolve(error))
    probe.listen({ port, host: host || everyAddress(), exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
}

const examineSocket = (socket: string): Finding =>
  mayChange(dirname(socket))
    ? address.good(`the socket ${socket} can be made`)
    : address.bad(
        `Account ${accountName()} may not make a socket in ${dirname(socket)}.`,
        `Make the folder and give it to the account, or name another one with --socket.`,
      )

function examineProxies({ trustedProxies, address: host, socket }: Network, authMethod: string): Finding[] {
  const example = socket === '' ? '127.0.0.1' : 'unix'
  if (authMethod === 'proxy' && trustedProxies === '')
    return [
      proxy.bad(
        'The sign-in method is proxy, but --trustedProxies is empty: nobody can sign in.',
        `Name its address with --trustedProxies, such as --trustedProxies ${example}`,
      ),
    ]
  // Warned of among the risks of the configuration, as at a start.
  if (trustsEverybody(trustedProxies)) return []
  if (trustedProxies !== '') return [proxy.good(`forwarding headers are trusted from ${trustedProxies}`)]
  const isHidden = socket !== '' || /^(127\.|::1$|localhost$)/.test(host)
  return isHidden
    ? [
        proxy.note(
          'No proxy is trusted. Behind one, all visitors share its address, and wrong passwords of one slow down all of them.',
          `Name its address with --trustedProxies, such as --trustedProxies ${example}. Ignore this if there is no proxy.`,
        ),
      ]
    : []
}
