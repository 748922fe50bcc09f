import { realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { isInside, type Settings } from '@filestead/contract'
import type { Config } from '../../config/config.ts'
import { isPostgres } from '../../database/address.ts'
import { trustsEverybody } from '../../http/client-address.ts'

/** Risks of this configuration. The server starts all the same. */
export async function warningsAbout(config: Config, settings: Settings): Promise<string[]> {
  const [folder, root] = await Promise.all([real(dirname(config.localFiles)), real(config.root)])
  const risks: [boolean, string][] = [
    [
      !isPostgres(config.database) && isInside(folder, root),
      'The database is inside the served folder. It is never served, but other programs that read the folder can read it. Keep it elsewhere with -d.',
    ],
    [
      config.socket === '' && config.cert === '' && !isLocal(config.address),
      `Anybody on the network can reach ${config.address} without TLS. Passwords are sent unencrypted unless a proxy in front uses TLS.`,
    ],
    [
      settings.authMethod === 'noauth',
      `Signing in is switched off: everybody is the first user.${isOpenToNames(config) ? openToNames : ''}`,
    ],
    [
      settings.authMethod === 'proxy' && config.trustedProxies === '',
      'The sign-in method is proxy, but --trustedProxies is empty: nobody can sign in.',
    ],
    [
      trustsEverybody(config.trustedProxies),
      'Every address is a trusted proxy: any client can claim any address and, with the sign-in method proxy, any user name. Name only your proxy with --trustedProxies, such as 127.0.0.1.',
    ],
    [
      settings.signup && !settings.createUserDir && settings.defaults.scope === '/',
      'Every new account sees the whole served folder: signing up is on, and the default scope is "/".',
    ],
    [!config.disableExec, 'Commands and hooks are switched on: they run with the rights of the server.'],
    [config.disableLoginThrottle, 'Guessing passwords is not slowed down.'],
    [config.followExternalSymlinks, 'Links are followed wherever they lead, also out of the served folder.'],
  ]
  return risks.filter(([isRisky]) => isRisky).map(([, text]) => text)
}

/** On a loopback address only loopback names are answered; see http/hosts.ts. */
const isOpenToNames = ({ socket, address, allowedHosts }: Config): boolean =>
  socket === '' && !isLocal(address) && allowedHosts === ''

const openToNames =
  ' A web page that gives its own name the address of this server can use it from a browser in the network: name the hosts by which it is called with --allowedHosts.'

const isLocal = (address: string): boolean => /^(127\.|::1$|localhost$)/.test(address)

const real = (path: string): Promise<string> => realpath(path).catch(() => path)
