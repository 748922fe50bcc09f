import { dictionary } from '@zxcvbn-ts/language-common'
import { poolTasks } from '../concurrency/worker.ts'

declare const self: Worker

const common: ReadonlySet<string> = new Set(dictionary['passwords-common'])

self.onmessage = poolTasks((password: string) => common.has(password.toLowerCase()))
