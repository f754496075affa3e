{
 "storyContainerVersion": 1,
 "metadata": {
  "title": "T"
 },
 "content": {
  "storyContentVersion": 6,
  "lorebook": {
   "lorebookVersion": 5,
   "entries": [
    {
     "text": "Salt and fog.",
     "contextConfig": {
      "prefix": "",
      "suffix": "\n",
      "tokenBudget": 2048,
      "reservedTokens": 0,
      "budgetPriority": 400,
      "trimDirection": "trimBottom",
      "insertionType": "newline",
      "maximumTrimType": "sentence",
      "insertionPosition": -1
     },
     "lastUpdatedAt": 1700000000000,
     "displayName": "Harbour",
     "id": "e-1",
     "keys": [
      "harbour",
      "/Quay/"
     ],
     "searchRange": 1000,
     "enabled": true,
     "forceActivation": false,
     "keyRelative": false,
     "nonStoryActivatable": false,
     "category": "c-1",
     "loreBiasGroups": []
    },
    {
     "text": "Salt and fog.",
     "contextConfig": {
      "prefix": "",
      "suffix": "\n",
      "tokenBudget": 2048,
      "reservedTokens": 0,
      "budgetPriority": 400,
      "trimDirection": "trimBottom",
      "insertionType": "newline",
      "maximumTrimType": "sentence",
      "insertionPosition": -1
     },
     "lastUpdatedAt": 1700000000000,
     "displayName": "Pier",
     "id": "e-2",
     "keys": [
      "pier"
     ],
     "searchRange": 1000,
     "enabled": true,
     "forceActivation": false,
     "keyRelative": false,
     "nonStoryActivatable": false,
     "category": "c-2",
     "loreBiasGroups": []
    },
    {
     "text": "Salt and fog.",
     "contextConfig": {
      "prefix": "",
      "suffix": "\n",
      "tokenBudget": 2048,
      "reservedTokens": 0,
      "budgetPriority": 400,
      "trimDirection": "trimBottom",
      "insertionType": "newline",
      "maximumTrimType": "sentence",
      "insertionPosition": -1
     },
     "lastUpdatedAt": 1700000000000,
     "displayName": "Always",
     "id": "e-3",
     "keys": [],
     "searchRange": 1000,
     "enabled": true,
     "forceActivation": true,
     "keyRelative": false,
     "nonStoryActivatable": false,
     "category": "",
     "loreBiasGroups": []
    }
   ],
   "settings": {
    "orderByKeyLocations": false
   },
   "categories": [
    {
     "id": "c-1",
     "name": "Off",
     "enabled": false,
     "createSubcontext": false,
     "useCategoryDefaults": false,
     "categoryDefaults": {}
    },
    {
     "id": "c-2",
     "name": "On",
     "enabled": true,
     "createSubcontext": false,
     "subcontextSettings": {},
     "useCategoryDefaults": true,
     "categoryDefaults": {
      "text": "Salt and fog.",
      "contextConfig": {
       "prefix": "",
       "suffix": "\n",
       "tokenBudget": 2048,
       "reservedTokens": 0,
       "budgetPriority": 700,
       "trimDirection": "trimBottom",
       "insertionType": "newline",
       "maximumTrimType": "sentence",
       "insertionPosition": -1
      },
      "lastUpdatedAt": 1700000000000,
      "displayName": "Harbour",
      "id": "e-1",
      "keys": [
       "harbour",
       "/Quay/"
      ],
      "searchRange": 1000,
      "enabled": true,
      "forceActivation": true,
      "keyRelative": false,
      "nonStoryActivatable": false,
      "category": "c-1",
      "loreBiasGroups": []
     }
    }
   ]
  },
  "document": "b3BhcXVl"
 }
}