import { recipes } from '#contract/recipes'
import { feature } from '#kernel/feature'
import { catalogue } from './catalogue.ts'
import { install } from './install/service.ts'
import { findRecipe, preview } from './service.ts'

export default feature(recipes, (app) => ({
  list: () => [...catalogue()],
  show: ({ slug }) => findRecipe(slug),
  preview: (call) => preview(app, call),
  install: install(app),
}))
