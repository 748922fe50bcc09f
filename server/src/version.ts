import { version as programVersion } from '../../package.json'

export const version: string = programVersion
