// The dialog that asks for the second factor, wherever the server wants to see it.

function made(tag, members, ...children) {
  const element = Object.assign(document.createElement(tag), members)
  element.append(...children)
  return element
}

/** Asks for codes until one is taken. `show` sends a code and gives the answer. False when the person gives up. */
export function askForFactor(show) {
  const told = made('div', { className: 'told', role: 'alert' })
  const code = made('input', {
    id: 'factor-code',
    autocomplete: 'one-time-code',
    autocapitalize: 'none',
    spellcheck: false,
    required: true,
  })
  const confirm = made('button', { type: 'submit', textContent: 'Confirm' })
  const cancel = made('button', { type: 'button', className: 'second', textContent: 'Not now' })
  const form = made(
    'form',
    { method: 'dialog' },
    made('h1', { id: 'factor-title', textContent: 'Confirm that it is you' }),
    told,
    made('label', { htmlFor: code.id, textContent: 'Code of your second factor' }),
    code,
    made('p', { className: 'soft', textContent: 'From your authenticator app, or one of your recovery codes.' }),
    confirm,
    cancel,
  )
  const dialog = made('dialog', {}, form)
  dialog.setAttribute('aria-labelledby', 'factor-title')
  document.body.append(dialog)
  dialog.showModal()
  code.focus()

  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      dialog.remove()
      resolve(dialog.returnValue === 'shown')
    })
    cancel.addEventListener('click', () => dialog.close())
    form.addEventListener('submit', async (event) => {
      event.preventDefault()
      confirm.disabled = true
      const { ok, told: why } = await show(code.value.trim())
      confirm.disabled = false
      if (ok) return dialog.close('shown')
      told.textContent = why
      code.value = ''
      code.focus()
    })
  })
}
