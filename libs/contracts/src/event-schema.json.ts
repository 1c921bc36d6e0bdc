/** The event schema, as the API shows it. */
export const EVENT_SCHEMA_JSON = {
  kind: 'object',
  properties: [
    {
      name: 'connectionId',
      type: {
        kind: 'string',
      },
      description: 'ID of the source connection',
    },
    {
      name: 'anonymousId',
      type: {
        kind: 'string',
      },
      description: 'Identifier assigned before authentication',
    },
    {
      name: 'channel',
      type: {
        kind: 'string',
      },
      readOptional: true,
      description: 'Source channel',
    },
    {
      name: 'category',
      type: {
        kind: 'string',
      },
      readOptional: true,
      description: 'Groups related pages or screens',
    },
    {
      name: 'context',
      type: {
        kind: 'object',
        properties: [
          {
            name: 'app',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'name',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'version',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'build',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'namespace',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'browser',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'name',
                  type: {
                    kind: 'string',
                    values: [
                      'Chrome',
                      'Safari',
                      'Edge',
                      'Firefox',
                      'Samsung Internet',
                      'Opera',
                      'Other',
                    ],
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'other',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: 'Name of the browser when name is Other',
                },
                {
                  name: 'version',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'campaign',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'name',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'source',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'medium',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'term',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'content',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'device',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'id',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'advertisingId',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'adTrackingEnabled',
                  type: {
                    kind: 'boolean',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'manufacturer',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'model',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'name',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'type',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'token',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'ip',
            type: {
              kind: 'ip',
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'library',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'name',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'version',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'locale',
            type: {
              kind: 'string',
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'location',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'city',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'country',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'latitude',
                  type: {
                    kind: 'float',
                    bitSize: 64,
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'longitude',
                  type: {
                    kind: 'float',
                    bitSize: 64,
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'speed',
                  type: {
                    kind: 'float',
                    bitSize: 64,
                  },
                  readOptional: true,
                  description: 'Meters per second',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'network',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'bluetooth',
                  type: {
                    kind: 'boolean',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'carrier',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'cellular',
                  type: {
                    kind: 'boolean',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'wifi',
                  type: {
                    kind: 'boolean',
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'os',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'name',
                  type: {
                    kind: 'string',
                    values: ['Android', 'Windows', 'iOS', 'macOS', 'Linux', 'Chrome OS', 'Other'],
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'other',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: 'Name of the operating system when name is Other',
                },
                {
                  name: 'version',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'page',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'path',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'referrer',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'search',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'title',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'url',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'referrer',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'id',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'type',
                  type: {
                    kind: 'string',
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'screen',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'width',
                  type: {
                    kind: 'int',
                    bitSize: 16,
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'height',
                  type: {
                    kind: 'int',
                    bitSize: 16,
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'density',
                  type: {
                    kind: 'decimal',
                    precision: 3,
                    scale: 2,
                    minimum: 0.01,
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'session',
            type: {
              kind: 'object',
              properties: [
                {
                  name: 'id',
                  type: {
                    kind: 'int',
                    bitSize: 64,
                  },
                  readOptional: true,
                  description: '',
                },
                {
                  name: 'start',
                  type: {
                    kind: 'boolean',
                  },
                  readOptional: true,
                  description: '',
                },
              ],
            },
            readOptional: true,
            description: '',
          },
          {
            name: 'timezone',
            type: {
              kind: 'string',
            },
            readOptional: true,
            description: 'tzdata name',
          },
          {
            name: 'userAgent',
            type: {
              kind: 'string',
            },
            readOptional: true,
            description: '',
          },
        ],
      },
      readOptional: true,
      description: 'Environment information',
    },
    {
      name: 'event',
      type: {
        kind: 'string',
      },
      readOptional: true,
      description: 'Name of a track event',
    },
    {
      name: 'groupId',
      type: {
        kind: 'string',
      },
      readOptional: true,
      description: 'Group events only',
    },
    {
      name: 'messageId',
      type: {
        kind: 'string',
      },
      description: 'Unique ID of the event',
    },
    {
      name: 'name',
      type: {
        kind: 'string',
      },
      readOptional: true,
      description: 'Title of a page or screen',
    },
    {
      name: 'properties',
      type: {
        kind: 'json',
      },
      readOptional: true,
      description: 'Details of the event',
    },
    {
      name: 'receivedAt',
      type: {
        kind: 'datetime',
      },
      description: 'Time of receipt',
    },
    {
      name: 'sentAt',
      type: {
        kind: 'datetime',
      },
      description: "Time of sending by the client's clock",
    },
    {
      name: 'originalTimestamp',
      type: {
        kind: 'datetime',
      },
      description: "Time of occurrence by the client's clock",
    },
    {
      name: 'timestamp',
      type: {
        kind: 'datetime',
      },
      description: 'Time of the event, for analysis',
    },
    {
      name: 'traits',
      type: {
        kind: 'json',
      },
      description: 'User attributes',
    },
    {
      name: 'type',
      type: {
        kind: 'string',
        values: ['alias', 'identify', 'group', 'page', 'screen', 'track'],
      },
      description: 'Type of the event',
    },
    {
      name: 'previousId',
      type: {
        kind: 'string',
      },
      readOptional: true,
      description: 'Previous user identifier',
    },
    {
      name: 'userId',
      type: {
        kind: 'string',
      },
      readOptional: true,
      description: 'Identifier after authentication',
    },
  ],
} as const;
