import type { Dialect } from './peers/dialect.ts'
import { filesteadApi } from './peers/filestead-api.ts'

export interface Account {
  name: string
  url: string
  user: string
  password: string
}

/** Where requests go, and the token that lets them in; empty where none is asked for. */
export interface Server {
  url: URL
  token: string
}

export interface Peer extends Server {
  name: string
  dialect: Dialect
  /** Known only of a server that this run started. */
  pid?: number
  version?: string
}

/** Reads `name=URL,user,password`; only the password may hold a comma. */
export function parseAccount(text: string): Account {
  const [, name, url, user, password] = /^([^=]+)=([^,]+),([^,]+),(.+)$/s.exec(text) ?? []
  if (!name || !url || !user || !password || !URL.canParse(url)) {
    throw new Error('a peer is written name=URL,user,password')
  }
  return { name, url: url.replace(/\/+$/, ''), user, password }
}

export async function signIn({ name, url, user, password }: Account): Promise<Peer> {
  const answer = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: user, password, recaptcha: '' }),
  })
  if (!answer.ok) throw new Error(`${name} refused to sign ${user} in: ${answer.status}`)
  return { name, url: new URL(url), token: (await answer.text()).trim(), dialect: filesteadApi }
}

/** A peer over another folder would be measured on nothing, so it must know the folder of this run. */
export async function assertServes(peer: Peer, served: string): Promise<void> {
  const answer = await ask(peer, peer.dialect.list(served).path)
  await answer.body?.cancel()
  if (!answer.ok) throw new Error(`${peer.name} does not serve the given root: ${answer.status} for ${served}`)
}

/** An answer whose content matters; where the time matters use `exchange`. */
export function ask(server: Server, path: string): Promise<Response> {
  return fetch(address(server, path), { headers: { 'X-Auth': server.token, 'Accept-Encoding': 'identity' } })
}

export async function askText(server: Server, path: string): Promise<string> {
  const answer = await ask(server, path)
  if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}`)
  return answer.text()
}

export function address(server: Server, path: string): string {
  return server.url.href.replace(/\/+$/, '') + path
}
