import { registerCommands } from '../commands/registry.ts'
import { goToPath, PathEditor } from '../files/browse/PathEditor.tsx'
import { addFavourite, removeFavourite } from '../files/tree/favourite.ts'
import { SidebarPlaces } from '../files/tree/SidebarPlaces.tsx'

registerCommands([addFavourite, removeFavourite, goToPath])

/** What is loaded when the first screen is there: the larger part of the sidebar, and commands that can wait for it. */
export const Later = ({ isShown }: { isShown: boolean }) => (
  <>
    <SidebarPlaces isShown={isShown} />
    <PathEditor />
  </>
)
