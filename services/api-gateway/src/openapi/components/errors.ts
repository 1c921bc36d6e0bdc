import { arrayOf, described, type JsonSchema, object, ref, TEXT } from '../schema/json-schema';

const body = object(
  {
    code: described(TEXT, 'Stable; for programs.'),
    message: described(
      TEXT,
      'For people. It begins with the message that this document names for the code.',
    ),
  },
  { details: arrayOf({ anyOf: [ref('Issue'), ref('Rejected')] }) },
);

/** Components for the bodies of errors. */
export const ERRORS: Readonly<Record<string, JsonSchema>> = {
  Error: object({ error: body }),
  IntakeError: object({ code: TEXT, message: TEXT, error: body }),
};
