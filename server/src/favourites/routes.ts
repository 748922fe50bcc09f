import { Favourite } from '@filestead/contract'
import { z } from 'zod'
import { type Route, route } from '../access/routes.ts'
import { done, json } from '../http/answers.ts'
import { returnsJson, returnsNothing } from '../http/returns.ts'
import { addFavourite, dropFavourite, type FavouriteDeps, listFavourites } from './favourites.ts'

export const favouriteRoutes = (deps: FavouriteDeps): Route[] => [
  route({
    method: 'GET',
    path: '/api/favourites',
    access: [],
    summary: 'The folders that the caller keeps at hand, in the order in which they were added.',
    returns: returnsJson(z.array(Favourite), 'A list of folders'),
    sample: {},
    answer: async (context) => json(await listFavourites(deps, context.scope), context),
  }),
  route({
    method: 'PUT',
    path: '/api/favourites/*',
    access: [],
    summary: 'Add a folder to the favourites.',
    returns: returnsNothing(),
    sample: { at: 'box' },
    async answer({ scope, path }) {
      await addFavourite(deps, scope, path)
      return done(204)
    },
  }),
  route({
    method: 'DELETE',
    path: '/api/favourites/*',
    access: [],
    summary: 'Remove a folder from the favourites. The folder itself stays.',
    returns: returnsNothing(),
    sample: { at: 'box' },
    async answer({ scope, path }) {
      await dropFavourite(deps, scope, path)
      return done(204)
    },
  }),
]
