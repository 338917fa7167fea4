import { Flags } from '@oclif/core'
import { parse } from 'yaml'
import type { Client } from '#client'
import { given } from '../flags.ts'
import { crewId } from '../lookup.ts'
import type { RoutineRow } from '../views/routines.ts'
import { toldByLine } from './definition.ts'

/** Flags of what is saved. */
export const saveFlags = {
  crew: Flags.string({ description: 'crew whose agents and network its steps use' }),
  message: Flags.string({ helpValue: 'TEXT', description: 'what was changed' }),
  approved: Flags.boolean({ description: 'let it run without approval; for ADMINs and above' }),
}

interface Given {
  crew?: string | undefined
  message?: string | undefined
  approved?: boolean | undefined
}

/** Tests a definition without effects, and saves it. */
export async function saveDefinition(
  api: Client,
  workspaceId: string,
  file: string,
  definition: string,
  { crew, message, approved }: Given,
  expected_version?: number,
): Promise<RoutineRow> {
  const author_crew_id = crew && (await crewId(api, crew))
  return toldByLine(file, definition, async () => {
    const { save_token } = await api.routines.test({ workspaceId, body: { definition } })
    return api.routines.save({
      workspaceId,
      body: given({
        slug: nameIn(definition),
        definition,
        author_crew_id: author_crew_id || undefined,
        change_summary: message,
        save_token,
        skip_test_gate: save_token === undefined ? true : undefined,
        skip_governance_gate: approved || undefined,
        expected_version,
      }),
    })
  })
}

const nameIn = (definition: string): string => String((parse(definition) as { name?: unknown } | null)?.name ?? '')
