import { Type } from 'typebox'
import { audit, Changed, entry } from './define.ts'
import { quoted } from './quote.ts'

const text = Type.String()
const Anchored = {
  checkpoint_id: text,
  journal_cursor: text,
  mission_id: text,
  mission_title: text,
  label: Type.Optional(text),
}

const Rewind = { rewind_id: text, checkpoint_id: text, before_checkpoint_id: text, label: Type.Optional(text) }

const called = ({ label, checkpoint_id }: { label?: string; checkpoint_id: string }) =>
  label ? quoted(label) : checkpoint_id

/** Checkpoints. docs/checkpoints.md. */
export const checkpointFacts = {
  'checkpoint.created': entry('checkpoint.created', 'info', Type.Object(Anchored), (it, { person }) => {
    return `${person} made checkpoint ${called(it)} of ${quoted(it.mission_title)}`
  }),
  'checkpoint.restored': entry(
    'checkpoint.restored',
    'info',
    Type.Object({ ...Anchored, divergence_count: Type.Integer() }),
    (it, { person }) =>
      `${person} looked back to checkpoint ${called(it)} of ${quoted(it.mission_title)}, ` +
      `${it.divergence_count} ${it.divergence_count === 1 ? 'entry' : 'entries'} ago`,
  ),
  'fork.created': entry(
    'fork.created',
    'notice',
    Type.Object({
      parent_mission: text,
      new_mission: text,
      fork_of: text,
      new_checkpoint_id: text,
      journal_cursor: text,
      title: text,
    }),
    ({ title, fork_of }, { person }) => `${person} began ${quoted(title)} from checkpoint ${fork_of}`,
  ),
  'files.rewind_started': entry(
    'files.rewind_started',
    'notice',
    Type.Object(Rewind),
    (it, { person, crew }) => `${person} began to put the files of crew ${crew} back to checkpoint ${called(it)}`,
  ),
  'files.rewound': entry(
    'files.rewound',
    'notice',
    Type.Object({ ...Rewind, written: Type.Integer(), removed: Type.Integer() }),
    ({ written, removed, ...it }, { crew }) =>
      `The files of crew ${crew} were put back to checkpoint ${called(it)}: ${written} written, ${removed} removed; ` +
      `how they were is checkpoint ${it.before_checkpoint_id}`,
  ),
  'files.rewind_failed': entry(
    'files.rewind_failed',
    'error',
    Type.Object({ ...Rewind, reason: text, touched: Type.Boolean() }),
    ({ reason, touched, ...it }, { crew }) =>
      `${touched ? 'Not all' : 'No'} files of crew ${crew} were put back to checkpoint ${called(it)}: ${reason}`,
  ),
  'checkpoint.deleted': audit(
    'audit.entity_deleted',
    'checkpoint',
    Changed,
    ({ name }, { actor }) => `Checkpoint ${quoted(name)} was deleted by ${actor}`,
  ),
}
