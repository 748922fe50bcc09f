import en from './en.json'
import { addTexts, show } from './i18n.ts'

// A browser loads its language before the first screen. Tests begin in English.
addTexts('en', 'files', en)
show('en', [])
