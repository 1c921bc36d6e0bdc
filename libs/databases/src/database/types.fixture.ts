/** A type of a database: one value of it in SQL, and what it becomes. */
export interface TypeCase {
  /** Of the column. */
  readonly sql: string;
  readonly value: string;
  /** As a schema has it. */
  readonly type: object;
  /** JSON text of the value. */
  readonly json: string;
}

/** A type or a value that there is no counterpart of. */
export interface BadCase {
  readonly sql: string;
  readonly value: string;
  /** Of the column that is left out, or of the row. */
  readonly problem: string;
}

const text = { kind: 'string', maxLength: 20 };

/** What relational databases have in common of the table `people`. */
export const RELATIONAL_PEOPLE = {
  people: [
    'CREATE TABLE people (id int PRIMARY KEY, name varchar(20) NOT NULL, city varchar(20) UNIQUE)',
    "INSERT INTO people VALUES (1, 'Ada', 'London'), (2, 'Bo', NULL)",
  ],
  peopleTypes: { id: { kind: 'int', bitSize: 32 }, name: text, city: text },
  peopleKeys: { required: ['id', 'name'], keys: [['id'], ['city']] },
} as const;
