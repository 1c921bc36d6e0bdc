/** An answer that exists as JSON text already and is sent unparsed. */
export class JsonText {
  constructor(readonly text: string) {}
}

/** Writes an object for an answer. @param members JSON texts by names that need no escapes. */
export const objectText = <Name extends string>(
  members: Readonly<Record<Name, string>>,
): string => {
  let text = '';
  for (const name in members) text += `${text && ','}"${name}":${members[name]}`;
  return `{${text}}`;
};
