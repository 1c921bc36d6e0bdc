import { isPropertyPath, type Json } from '@penstock/schema';
import type { Scope } from './scope';
import { locate, type Target } from './target';

/** What the `property` of a condition leads to; undefined, and reported, when it leads nowhere. */
export const readTarget = (
  json: Json | undefined,
  { schema, context, report }: Scope,
): Target | undefined => {
  const refuse = (message: string): undefined => {
    report('/property', message);
  };
  if (typeof json !== 'string') return refuse('must be a string, the path of a property');
  if (!isPropertyPath(json))
    return refuse('must be names of letters, digits and _, joined by points, like traits.plan');
  const target = locate(schema, json);
  if (typeof target === 'string') return refuse(target);
  if (target.property.type.kind === 'json' && context === 'DestinationUser')
    refuse(`"${target.steps.join('.')}" is of kind json, by which profiles cannot be filtered`);
  return target;
};
