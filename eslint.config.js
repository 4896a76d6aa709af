import neostandard from 'neostandard'

export default [
  ...neostandard({ ts: true, ignores: ['dist/**', '.local/**', '.tap/**', 'coverage/**'] }),
  {
    files: ['**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      // A schema and its type bear one name; the compiler finds the redeclarations that are mistakes.
      '@typescript-eslint/no-redeclare': 'off'
    }
  }
]
