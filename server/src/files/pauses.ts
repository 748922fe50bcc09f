export { pauses } from '../storage/pauses.ts'
