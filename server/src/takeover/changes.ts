import { type TakeoverChange, type TakeoverCode, takeoverCodes } from '@filestead/contract'

interface Text {
  message: string
  advice: string
  link?: string
}

const rules = '/settings/global'
const users = '/settings/users'
const shares = '/settings/shares'

/** The message and advice of each kind of change. */
const texts: Readonly<Record<TakeoverCode, Text>> = {
  'commands-off': {
    message: 'Commands and hooks came along, but none of them runs until an administrator confirms them.',
    advice: "Read them (filestead cmds ls), then run 'filestead config set --disableExec=false' and start again.",
    link: rules,
  },
  'shell-off': {
    message: 'Commands no longer go through a shell: file names could become commands there.',
    advice: 'Write hooks as a program and its arguments. Who must have the shell starts with --allowShell.',
    link: rules,
  },
  'hook-placeholder': {
    message: 'A placeholder inside other text is not replaced any more.',
    advice: 'Make it an argument of its own ($FILE), or let the program read it from its environment.',
    link: rules,
  },
  'rule-without-slash': {
    message: 'This rule had no leading slash and never did anything. It denies now what it names.',
    advice: 'If that is not what you want, remove the rule.',
    link: rules,
  },
  'rule-unreadable': {
    message: 'The expression of this rule cannot be read. Until it is repaired, it denies everything.',
    advice: 'Correct the expression or remove the rule.',
    link: rules,
  },
  'rule-dropped': {
    message: 'This rule was to allow something but never matched. It was left behind, so that it opens nothing now.',
    advice: 'Add it again with a leading slash if it is still wanted.',
    link: rules,
  },
  'rule-rewritten': {
    message: 'This rule ended with a slash and allowed what is in the folder, not the folder. It is an expression now.',
    advice: 'Allow the folder without the slash if people should be able to open it.',
    link: rules,
  },
  'rule-holds-below': {
    message: 'Where this rule denies a folder, what lies in it is denied, too. It could be reached by its address.',
    advice: 'Allow what is to be seen with a rule behind this one.',
    link: rules,
  },
  'dotfiles-hidden': {
    message: 'For users who hide dotfiles, hidden folders hide what is in them, too.',
    advice: 'Switch hiding off for users who need those files.',
    link: users,
  },
  'link-leaves-scope': {
    message: 'This link leads out of the folder of its user. It can be deleted, but is not followed.',
    advice: 'Mount the folder there instead, or start with --followExternalSymlinks.',
  },
  'links-followed': {
    message: 'Links are followed wherever they lead, because the old settings said so.',
    advice: "If nobody needs that: 'filestead config set --followExternalSymlinks=false'.",
  },
  'home-shared': {
    message: 'Several users have this folder: each sees and changes what the others put there.',
    advice: 'If that was not intended, give each a folder of their own.',
    link: users,
  },
  'home-missing': {
    message: 'The folder of this user does not exist.',
    advice: 'Make the folder, or give the user another one. If many are missing, check --root.',
    link: users,
  },
  'share-missing': {
    message: 'What this link leads to is not there. The link was kept and works again when the file is back.',
    advice: 'Delete the link if nobody waits for it.',
    link: shares,
  },
  'share-outside': {
    message: 'This link leads through a symbolic link out of the folder of its owner, and stays shut.',
    advice: 'Share the real place, or start with --followExternalSymlinks.',
    link: shares,
  },
  'share-expired': {
    message: 'This link had expired and was left behind.',
    advice: 'Nothing needs to be done.',
  },
  'share-without-owner': {
    message: 'The owner of this link does not exist any more. It showed nothing and was left behind.',
    advice: 'Nothing needs to be done.',
  },
  'share-shut': {
    message: 'The owner of this link may not share or download. The link was kept and stays shut.',
    advice: 'Give the owner both rights, or delete the link.',
    link: shares,
  },
  'share-unusable': {
    message: 'The path or the name of this link cannot be used. It was left behind.',
    advice: 'Share the file again.',
    link: shares,
  },
  'share-tokens-kept': {
    message: 'Download addresses that were copied from a link with a password open without it, as before.',
    advice: 'Delete such a link and share again to end that: new addresses last an hour.',
    link: shares,
  },
  'share-needs-download': {
    message: 'This user could share but not download, which never worked. The right to share was taken away.',
    advice: 'Give the user both rights if links are wanted.',
    link: users,
  },
  'password-unusable': {
    message: 'The stored password of this user cannot be checked: nobody can sign in with it.',
    advice: 'Set a new password.',
    link: users,
  },
  'no-administrator': {
    message: 'There is no administrator among the users.',
    advice: "Make one: 'filestead users update NAME --perm.admin'.",
  },
  'sessions-ended': {
    message: 'The old key for signing tokens was missing or too short. A new one was made.',
    advice: 'Everybody signs in again, once.',
  },
  'proxy-untrusted': {
    message: 'The header that names the user counts only from trusted proxies.',
    advice: 'Start with --trustedProxies and the address of the proxy; until then nobody can sign in.',
  },
  'method-unknown': {
    message: 'This way to sign in is not known. People sign in with name and password.',
    advice: "Choose another one with 'filestead config set --auth.method'.",
  },
  'signup-own-home': {
    message: 'An account that is made by signing in or up now gets a folder of its own, not the whole root.',
    advice: 'Set the default scope to "/" if everybody is to see everything.',
    link: rules,
  },
  'option-changed': {
    message: 'This option could not be used as it was.',
    advice: "Look at it with 'filestead config cat'.",
  },
  'may-be-older': {
    message: 'Half of the head of the old database is damaged. What the other half knows was taken.',
    advice: 'The very last change that was made in File Browser may be missing: look whether it is there.',
  },
  'not-looked': {
    message: 'The files were not looked at, or not all of them: missing files and links may not be listed here.',
    advice: "For a full look: 'filestead takeover --from FILE --dry-run --root FOLDER'.",
  },
}

/** Collects changes. Of each kind a few are listed, the rest are counted. */
export interface Changes {
  add(code: TakeoverCode, subject?: string, link?: string): void
  list(): TakeoverChange[]
  count(code: TakeoverCode): number
}

const toldInFull = 20

export function collectChanges(): Changes {
  const found = new Map<TakeoverCode, { told: TakeoverChange[]; count: number }>()
  return {
    add(code, subject = '', link) {
      const kind = found.get(code) ?? { told: [], count: 0 }
      found.set(code, kind)
      kind.count += 1
      if (kind.told.length < toldInFull) kind.told.push(changeOf(code, subject, link))
    },
    count: (code) => found.get(code)?.count ?? 0,
    list: () =>
      takeoverCodes.flatMap((code) => {
        const { told, count } = found.get(code) ?? { told: [], count: 0 }
        const more = count - told.length
        return more > 0 ? [...told, changeOf(code, `+${more}`)] : told
      }),
  }
}

function changeOf(code: TakeoverCode, subject: string, link = texts[code].link): TakeoverChange {
  const { message, advice } = texts[code]
  return { code, subject, message, advice, ...(link !== undefined && { link }) }
}
