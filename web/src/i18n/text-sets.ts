/**
 * The texts of a language come in sets, so that a page loads those that it shows. Names are sections of `en.json`, or
 * parts of one. `build/texts.ts` writes a file for each set of each language; `text-sets.test.ts` fails where a page
 * uses a text that its sets do not hold.
 */
const login = [
  'buttons',
  'frame',
  'login',
  'errors',
  'failures',
  // What is wrong with a name or a password, on signing up.
  'settings.password',
  'settings.user.nameTaken',
  'settings.user.emptyName',
  'settings.user.noFolderName',
]

/** The page of a link, its viewers included. */
const visit = [...login, 'visit', 'files', 'units', 'copyLink', 'download', 'preview', 'search.list']

const files = [
  ...visit,
  'listing',
  'change',
  'conflict',
  'prompts',
  // The names of their commands; the rest comes with them.
  'search.search',
  'search.palette',
  'help.title',
  'shell',
  'upload',
  'info',
  // What is told of texts that were not saved, on signing out.
  'editor.keptNames',
  'share',
  'activity',
  'touch',
  'tree',
  // Deleting a link in the dialog for sharing.
  'settings.shares.delete',
  'settings.shares.deleteQuestion',
  'settings.shares.deleted',
]

/** In addition to the files: the palette, the results of a search and the help are loaded when they are opened. */
const palette = ['search', 'help']

/** In addition to the files: texts that are written, and those that were not saved. */
const editor = ['editor', 'editorThemes']

/** In addition to the files: what the tray says of jobs, loaded with it. */
const jobs = ['jobs']

/** In addition to the files: who may do what in a folder, for administrators. */
const rights = ['rights']

/** In addition to the files: looking into archives, making and extracting them. The names of the commands are among the changes. */
const archives = ['archives']

/**
 * In addition to the files: older states of files and folders. The names of the commands are among the changes.
 * With it comes what an administrator is told once, after moving over from File Browser: that, too, is about what is kept.
 */
const history = ['history', 'takeover']

/** In addition to the files: the page of the trash, and what was done lately. */
const trash = ['trash']

/** In addition to the files, around which the settings are shown. */
const settings = ['settings', 'editorThemes', ...rights]

/** In the order in which they are put together: a later set holds whole what an earlier one has a part of. */
export const textSets = { login, visit, files, palette, editor, jobs, rights, archives, history, trash, settings }

export type TextSet = keyof typeof textSets

/** The texts of a set. */
export function textsOf(set: TextSet, texts: object): object {
  const found = {}
  for (const name of textSets[set]) {
    const path = name.split('.')
    const last = path.pop() ?? ''
    let [from, to]: [object, object] = [texts, found]
    for (const part of path) {
      from = Reflect.get(from, part)
      if (!Object.hasOwn(to, part)) Reflect.set(to, part, {})
      to = Reflect.get(to, part)
    }
    Reflect.set(to, last, Reflect.get(from, last))
  }
  return found
}
