import { EVENT_SCHEMA, type JsonString, type Transformation } from '@penstock/contracts';
import { printFilter } from '@penstock/filters';
import { printType, type Schema } from '@penstock/schema';
import { canonicalTransformation } from './canonical-transformation';
import { checkParts, type DefinitionInput, type PartRules } from './definition-parts';
import { Findings } from './findings';
import type { SubmittedTransformation } from './read-transformation';

/** The definition of a pipeline on events, checked and in canonical form. */
export interface Definition {
  readonly filter: JsonString | null;
  readonly transformation: Transformation | null;
  readonly outSchema: JsonString | null;
  /** The parsed outSchema. */
  readonly schema: Schema | null;
}

const SENT: PartRules = {
  input: EVENT_SCHEMA,
  filter: 'DestinationEvent',
  output: { role: 'eventDestination' },
  mustRead: false,
  givesAll: false,
};

const WRITTEN: PartRules = {
  input: EVENT_SCHEMA,
  filter: 'SourceEvent',
  output: { role: 'profile' },
  mustRead: false,
  givesAll: true,
};

/**
 * Checks filter, transformation and output schema of a pipeline on events, and reports all issues at once.
 *
 * @param isSent whether it sends events to an application, whose event type is not needed: {@link checkAlignment} compares
 *   with it. Else it gives properties of profiles.
 * @throws Refusal BadRequest with every issue found, or UnsupportedLanguage.
 */
export const checkDefinition = (
  input: DefinitionInput,
  submitted: SubmittedTransformation | null,
  isSent = true,
): Definition => {
  const findings = new Findings();
  const { filter, schema } = checkParts(input, submitted, isSent ? SENT : WRITTEN, findings);
  findings.refuse();
  return {
    filter: filter && printFilter(filter),
    transformation: submitted && canonicalTransformation(submitted),
    outSchema: schema && printType(schema),
    schema,
  };
};
